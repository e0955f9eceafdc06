// ws_app.cc on gorilla/websocket: ws_gorilla PORT
package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"

	"github.com/gorilla/websocket"
)

var upgrader = websocket.Upgrader{}

func serve(path string, run func(*websocket.Conn)) {
	http.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if socket, err := upgrader.Upgrade(w, r, nil); err == nil {
			defer socket.Close()
			run(socket)
		}
	})
}

func echo(socket *websocket.Conn) {
	for {
		kind, message, err := socket.ReadMessage()
		if err != nil || socket.WriteMessage(kind, message) != nil {
			return
		}
	}
}

func tell(socket *websocket.Conn, bytes int64) error {
	return socket.WriteMessage(websocket.TextMessage, strconv.AppendInt(nil, bytes, 10))
}

func sink(socket *websocket.Conn) {
	for {
		_, pieces, err := socket.NextReader()
		if err != nil {
			return
		}
		bytes, err := io.Copy(io.Discard, pieces)
		if err != nil || tell(socket, bytes) != nil {
			return
		}
	}
}

func whole(socket *websocket.Conn) {
	for {
		_, message, err := socket.ReadMessage()
		if err != nil || tell(socket, int64(len(message))) != nil {
			return
		}
	}
}

// One goroutine at a time may write to a connection.
type member struct {
	socket *websocket.Conn
	mutex  sync.Mutex
}

var all sync.Map

func broadcast(socket *websocket.Conn) {
	self := &member{socket: socket}
	all.Store(self, true)
	defer all.Delete(self)
	for {
		kind, message, err := socket.ReadMessage()
		if err != nil {
			return
		}
		prepared, _ := websocket.NewPreparedMessage(kind, message)
		all.Range(func(other, _ any) bool {
			to := other.(*member)
			to.mutex.Lock()
			_ = to.socket.WritePreparedMessage(prepared)
			to.mutex.Unlock()
			return true
		})
	}
}

func main() {
	serve("/echo", echo)
	serve("/sink", sink)
	serve("/whole", whole)
	serve("/broadcast", broadcast)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
