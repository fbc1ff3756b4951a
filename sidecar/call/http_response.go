package call

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// responseBuffer is how much of a body is read at a time.
const responseBuffer = 32 << 10

// read takes the response: its body is the output, and a status other than 2xx is a failure.
func (x *exchange) read(ctx context.Context, res *http.Response) *execution {
	x.e.format, x.e.media = format(res.Header.Get("Content-Type"))
	err := x.body(res.Body)
	switch {
	case ctx.Err() != nil:
		x.e.stopped = context.Cause(ctx)
	case res.StatusCode < 200 || res.StatusCode > 299:
		x.e.failure = failed(x.status(res))
	case err != nil:
		words, _ := x.inv.secrets.Text(err.Error())
		x.e.failure = failed(fmt.Sprintf("the response of %s broke off: %s", res.Request.URL.Host, cutText(words, reasonLimit)))
	}
	return x.e
}

// body reads the body, until it ends or is longer than what is kept.
func (x *exchange) body(r io.Reader) error {
	chunk := make([]byte, responseBuffer)
	defer x.e.out.end()
	for x.e.out.takes() {
		n, err := r.Read(chunk)
		x.e.out.write(chunk[:n])
		if err == nil {
			continue
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	return nil
}

// status returns the failure that a response tells of, with the head of its body.
func (x *exchange) status(res *http.Response) string {
	words := fmt.Sprintf("%s answered %d %s", res.Request.URL.Host, res.StatusCode, http.StatusText(res.StatusCode))
	words = strings.TrimSpace(words)
	if x.e.out.binary || x.e.out.total == 0 {
		return words
	}
	return words + ": " + cutText(strings.TrimSpace(x.e.out.text()), reasonLimit)
}

// format returns how a body of a media type is read, and the type for one that is not text.
func format(contentType string) (format, media string) {
	media, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return "", ""
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		return "json", media
	case strings.HasPrefix(media, "text/"):
		return "text", media
	}
	return "", media
}
