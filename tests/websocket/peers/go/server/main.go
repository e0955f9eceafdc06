// gorilla/websocket as the server that README.md describes. It knows deflate without context
// takeover only.
//
// usage: main [PORT]
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

var (
	lock      sync.Mutex
	lastClose string
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// In what a client sends, until it closes.
func forEach(socket *websocket.Conn, do func(kind int, message []byte)) {
	for {
		kind, message, err := socket.ReadMessage()
		if err != nil {
			return
		}
		do(kind, message)
	}
}

func echo(socket *websocket.Conn) {
	forEach(socket, func(kind int, message []byte) { must(socket.WriteMessage(kind, message)) })
}

// The writer sends a fragment whenever its buffer is full; see upgrade.
func fragments(socket *websocket.Conn) {
	forEach(socket, func(kind int, message []byte) {
		writer, err := socket.NextWriter(kind)
		must(err)
		for len(message) > 10 {
			_, err = writer.Write(message[:10])
			must(err)
			message = message[10:]
		}
		_, err = writer.Write(message)
		must(err)
		must(writer.Close())
	})
}

func ping(socket *websocket.Conn) {
	socket.SetPongHandler(func(payload string) error {
		return socket.WriteMessage(websocket.TextMessage, []byte(payload))
	})
	forEach(socket, func(_ int, message []byte) {
		must(socket.WriteMessage(websocket.PingMessage, message))
	})
}

func subprotocol(socket *websocket.Conn) {
	forEach(socket, func(int, []byte) {
		must(socket.WriteMessage(websocket.TextMessage, []byte(socket.Subprotocol())))
	})
}

func closing(socket *websocket.Conn, code int) {
	text := websocket.FormatCloseMessage(code, "as asked")
	must(socket.WriteControl(websocket.CloseMessage, text, time.Now().Add(10*time.Second)))
	socket.SetCloseHandler(func(code int, reason string) error {
		note(code, reason)
		return nil
	})
	forEach(socket, func(int, []byte) {})
}

func note(code int, reason string) {
	lock.Lock()
	defer lock.Unlock()
	lastClose = fmt.Sprintf("%d %s", code, reason)
}

func serve(writer http.ResponseWriter, request *http.Request) {
	if request.URL.Path == "/closed" {
		lock.Lock()
		defer lock.Unlock()
		_, err := writer.Write([]byte(lastClose))
		must(err)
		return
	}
	path := strings.Split(request.URL.Path, "/")
	upgrader := websocket.Upgrader{
		Subprotocols:      []string{"chat.v2", "chat.v1"},
		EnableCompression: path[1] == "deflate" || path[1] == "takeover",
	}
	if path[1] == "fragments" {
		upgrader.WriteBufferSize = 10
	}
	socket, err := upgrader.Upgrade(writer, request, nil)
	if err != nil {
		return // it has answered
	}
	defer socket.Close()
	answer := socket.CloseHandler()
	socket.SetCloseHandler(func(code int, reason string) error {
		note(code, reason)
		return answer(code, reason)
	})
	switch path[1] {
	case "fragments":
		fragments(socket)
	case "ping":
		ping(socket)
	case "subprotocol":
		subprotocol(socket)
	case "close":
		code, err := strconv.Atoi(path[2])
		must(err)
		closing(socket, code)
	default:
		echo(socket)
	}
}

func main() {
	port := "0"
	if len(os.Args) > 1 {
		port = os.Args[1]
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	must(err)
	fmt.Printf("listening on http://%s\n", listener.Addr())
	must(http.Serve(listener, http.HandlerFunc(serve)))
}
