// gorilla/websocket as a client of the servers of README.md.
//
// usage: main URL [CHECK...]; ends with 0 when all is well.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

var (
	url   = strings.TrimRight(os.Args[1], "/")
	codes = []int{1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 3000, 4000, 4999}
	texts = []string{"", "x", "Gr\u00fc\u00dfe \u2603 \U0001d11e", strings.Repeat("y", 125),
		strings.Repeat("y", 126), strings.Repeat("y", 65535), strings.Repeat("z", 65536)}
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func check(truth bool, format string, arguments ...interface{}) {
	if !truth {
		panic(fmt.Sprintf(format, arguments...))
	}
}

func numbers() string {
	var text strings.Builder
	for i := 0; i < 30000; i++ {
		fmt.Fprintf(&text, "%d ", i*i)
	}
	return text.String()
}

func openWith(dialer websocket.Dialer, path string) (*websocket.Conn, *http.Response) {
	dialer.HandshakeTimeout = 10 * time.Second
	socket, answer, err := dialer.Dial(strings.Replace(url, "http:", "ws:", 1)+path, nil)
	must(err)
	must(socket.SetReadDeadline(time.Now().Add(60 * time.Second)))
	return socket, answer
}

func open(path string) *websocket.Conn {
	socket, _ := openWith(websocket.Dialer{}, path)
	return socket
}

func expectEcho(socket *websocket.Conn, kind int, message []byte) {
	must(socket.WriteMessage(kind, message))
	heardKind, heard, err := socket.ReadMessage()
	must(err)
	check(heardKind == kind && bytes.Equal(heard, message), "%d bytes of kind %d came as %d of %d",
		len(message), kind, len(heard), heardKind)
}

func expectEchoes(socket *websocket.Conn) {
	for _, text := range texts {
		expectEcho(socket, websocket.TextMessage, []byte(text))
	}
	for _, message := range [][]byte{{}, {0, 1, 254, 255}, []byte(numbers())} {
		expectEcho(socket, websocket.BinaryMessage, message)
	}
}

// Reads to the end, which is a close frame.
func closedWith(socket *websocket.Conn) string {
	defer socket.Close()
	for {
		_, _, err := socket.ReadMessage()
		var closed *websocket.CloseError
		if errors.As(err, &closed) {
			_, _ = io.Copy(io.Discard, socket.UnderlyingConn()) // the server ends the connection
			return fmt.Sprintf("%d %s", closed.Code, closed.Text)
		}
		must(err)
	}
}

func closeWith(socket *websocket.Conn, code int, reason string) string {
	must(socket.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason),
		time.Now().Add(10*time.Second)))
	return closedWith(socket)
}

func expectLastClose(wanted string) {
	answer, err := http.Get(url + "/closed")
	must(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(err)
	check(string(text) == wanted, "the server saw %q, not %q", text, wanted)
}

func echoes() {
	socket := open("/echo")
	expectEchoes(socket)
	closeWith(socket, 1000, "")
}

func keepsTheOrder() {
	socket := open("/echo")
	for i := 0; i < 500; i++ {
		must(socket.WriteMessage(websocket.TextMessage, []byte(fmt.Sprintf("message %d", i))))
	}
	for i := 0; i < 500; i++ {
		_, heard, err := socket.ReadMessage()
		must(err)
		check(string(heard) == fmt.Sprintf("message %d", i), "%q is number %d", heard, i)
	}
	closeWith(socket, 1000, "")
}

// A writer whose buffer is full sends a fragment.
func sendsFragments() {
	socket, _ := openWith(websocket.Dialer{WriteBufferSize: 20}, "/echo")
	expectEcho(socket, websocket.TextMessage, []byte("short"))
	writer, err := socket.NextWriter(websocket.TextMessage)
	must(err)
	for i := 0; i < 100; i++ {
		_, err = io.WriteString(writer, "Gr\u00fc\u00dfe ")
		must(err)
	}
	must(writer.Close())
	_, heard, err := socket.ReadMessage()
	must(err)
	check(string(heard) == strings.Repeat("Gr\u00fc\u00dfe ", 100), "it came as %q", heard)
	closeWith(socket, 1000, "")
}

func receivesFragments() {
	socket := open("/fragments")
	expectEcho(socket, websocket.TextMessage, []byte("short"))
	expectEcho(socket, websocket.TextMessage, []byte(strings.Repeat("Gr\u00fc\u00dfe ", 20)))
	expectEcho(socket, websocket.BinaryMessage, bytes.Repeat([]byte{0, 255}, 100))
	closeWith(socket, 1000, "")
}

func pings() {
	socket := open("/echo")
	heard := ""
	socket.SetPongHandler(func(payload string) error {
		heard = payload
		return nil
	})
	for _, payload := range []string{"abc", strings.Repeat("x", 125)} {
		must(socket.WriteMessage(websocket.PingMessage, []byte(payload)))
		expectEcho(socket, websocket.TextMessage, []byte("behind it"))
		check(heard == payload, "the pong is %q", heard)
	}
	closeWith(socket, 1000, "")
}

func isPinged() {
	socket := open("/ping")
	expectEcho(socket, websocket.TextMessage, []byte("first"))
	expectEcho(socket, websocket.TextMessage, []byte("second"))
	closeWith(socket, 1000, "")
}

func closes() {
	for _, code := range codes {
		reason := fmt.Sprintf("reason %d", code)
		said := closeWith(open("/echo"), code, reason)
		check(strings.HasPrefix(said, fmt.Sprintf("%d ", code)), "the server said %q", said)
		expectLastClose(fmt.Sprintf("%d %s", code, reason)) // not all say the reason, too
	}
	said := closeWith(open("/echo"), websocket.CloseNoStatusReceived, "")
	check(said == "1005 ", "the server said %q", said)
	expectLastClose("1005 ")
}

func isClosed() {
	for _, code := range codes {
		said := closedWith(open(fmt.Sprintf("/close/%d", code)))
		check(said == fmt.Sprintf("%d as asked", code), "the server said %q", said)
		expectLastClose(fmt.Sprintf("%d ", code)) // it answers without the reason
	}
}

func deflates() {
	socket, answer := openWith(websocket.Dialer{EnableCompression: true}, "/deflate")
	agreed := answer.Header.Get("Sec-WebSocket-Extensions")
	check(strings.HasPrefix(agreed, "permessage-deflate"), "the server agreed to %q", agreed)
	expectEchoes(socket)
	for i := 0; i < 3; i++ {
		expectEcho(socket, websocket.TextMessage, []byte(numbers()))
	}
	closeWith(socket, 1000, "")
}

func agreesOnASubprotocol() {
	socket, _ := openWith(websocket.Dialer{Subprotocols: []string{"x", "chat.v1"}}, "/subprotocol")
	check(socket.Subprotocol() == "chat.v1", "it agreed on %q", socket.Subprotocol())
	expectEcho(socket, websocket.TextMessage, []byte("chat.v1"))
	closeWith(socket, 1000, "")
	socket, _ = openWith(websocket.Dialer{Subprotocols: []string{"x", "y"}}, "/subprotocol")
	check(socket.Subprotocol() == "", "it agreed on %q", socket.Subprotocol())
	closeWith(socket, 1000, "")
}

func isRefusedElsewhere() {
	target := strings.Replace(url, "http:", "ws:", 1) + "/echo"
	for origin, wanted := range map[string]int{"http://elsewhere.example": 403, url: 101} {
		socket, answer, err := websocket.DefaultDialer.Dial(target, http.Header{"Origin": {origin}})
		check(answer != nil && answer.StatusCode == wanted, "%s: %v", origin, err)
		if err == nil {
			socket.Close()
		}
	}
}

func main() {
	checks := []struct {
		name string
		run  func()
	}{
		{"echoes", echoes}, {"keepsTheOrder", keepsTheOrder}, {"sendsFragments", sendsFragments},
		{"receivesFragments", receivesFragments}, {"pings", pings}, {"isPinged", isPinged},
		{"closes", closes}, {"isClosed", isClosed}, {"deflates", deflates},
		{"agreesOnASubprotocol", agreesOnASubprotocol}, {"isRefusedElsewhere", isRefusedElsewhere},
	}
	wanted := strings.Join(os.Args[2:], " ")
	for _, one := range checks {
		if wanted == "" || strings.Contains(wanted, one.name) {
			one.run()
			fmt.Println("ok", one.name)
		}
	}
}
