package provider

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"

	"github.com/ferrule/ferrule/chat"
)

// Codes of the faults that are the network's, not the upstream's own.
const (
	codeUnreachable = "upstream_unreachable" // not connected: nothing was sent
	codeCut         = "upstream_cut"         // connected, but no whole answer came
	codeTimeout     = "upstream_timeout"
	codeTooLarge    = "upstream_too_large"
	codeRedirect    = "upstream_redirect"
	codeEncoding    = "upstream_encoding"
	codeNotJSON     = "upstream_not_json"
)

// fault makes a fault whose text names the provider and where it is.
func (p *Provider) fault(code string, status int, text string) *chat.Fault {
	return &chat.Fault{Code: code, Status: status, Text: fmt.Sprintf("Provider %q at %s %s", p.name, p.address(), text)}
}

func (p *Provider) tooLarge() *chat.Fault {
	return p.fault(codeTooLarge, http.StatusBadGateway,
		"sent an answer over the size limit; it was cut off. Ask for less in one answer, or check what the server sends.")
}

// late names the time that ran out; nil when none did.
func (p *Provider) late(g *guard) *chat.Fault {
	var text string
	switch cause := g.cause(); {
	case errors.Is(cause, errFirstByte):
		text = fmt.Sprintf("took the request and answered nothing for %v. The model may still be loading, or the prompt is too long for it.", g.first)
	case errors.Is(cause, errSilence):
		text = fmt.Sprintf("began an answer and then sent nothing for %v. Check the server's log.", g.quiet)
	case errors.Is(cause, errWhole):
		text = fmt.Sprintf("didn't finish its answer within %v. Set a lower limit on output tokens.", g.whole)
	default:
		return nil
	}
	return p.fault(codeTimeout, http.StatusGatewayTimeout, text)
}

// failed tells why no answer's head came. The error's own words stay out of
// the text: they may repeat what the upstream sent.
func (p *Provider) failed(err error, g *guard) *chat.Fault {
	if f := p.late(g); f != nil {
		return f
	}
	unreachable := func(retry bool, text string) *chat.Fault {
		f := p.fault(codeUnreachable, http.StatusBadGateway, "can't be reached: "+text)
		f.Retryable = retry
		return f
	}
	var (
		dns    *net.DNSError
		op     *net.OpError
		verify *tls.CertificateVerificationError
		record tls.RecordHeaderError
		alert  tls.AlertError
		nerr   net.Error
	)
	dialing := errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
	switch {
	case errors.As(err, &dns):
		return unreachable(dns.IsTemporary, "its host name isn't known. Check the provider's url.")
	case errors.Is(err, syscall.ECONNREFUSED):
		return unreachable(true, "the connection was refused. Is the server running, and on this port?")
	case errors.As(err, &verify):
		return unreachable(false, "its TLS certificate isn't valid: "+verify.Err.Error()+". Check the url's host name and the system's certificates.")
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return unreachable(false, "it doesn't speak TLS. Write the provider's url with http:// if that is meant.")
	case errors.As(err, &alert):
		return unreachable(false, "it refused the TLS connection: "+alert.Error()+".")
	case errors.As(err, &nerr) && nerr.Timeout():
		f := p.fault(codeTimeout, http.StatusGatewayTimeout, fmt.Sprintf(
			"didn't take the connection within %v. Is the server running, and is the way to it open?", p.bounds.Connect))
		f.Retryable = true
		return f
	case dialing:
		return unreachable(true, "the network gave no connection. Is the server running, and is the way to it open?")
	}
	return p.fault(codeCut, http.StatusBadGateway,
		"cut the connection or sent something that isn't HTTP before an answer came. Check the server's log; the request was not sent again.")
}
