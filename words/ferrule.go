package words

// ownMarker is JSON between tags that no model was trained on and no engine
// reads: for servers that act by themselves on the markers that they know.
func ownMarker() Syntax {
	return tagged{
		name: "ferrule",
		open: "<ferrule_call>", close: "</ferrule_call>",
		resultOpen: "<ferrule_result>", resultClose: "</ferrule_result>",
	}.written()
}
