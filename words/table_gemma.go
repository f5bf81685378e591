package words

func gemmaRows() []readRow { return nil }
