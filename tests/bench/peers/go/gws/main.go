// ws_app.cc on gws: ws_gws PORT
package main

import (
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"

	"github.com/lxzan/gws"
)

const fileMax = 1 << 30

type echo struct{ gws.BuiltinEventHandler }

func (*echo) OnMessage(socket *gws.Conn, message *gws.Message) {
	defer message.Close()
	_ = socket.WriteMessage(message.Opcode, message.Bytes())
}

type counter struct{ gws.BuiltinEventHandler }

func (*counter) OnMessage(socket *gws.Conn, message *gws.Message) {
	defer message.Close()
	_ = socket.WriteString(strconv.Itoa(message.Data.Len()))
}

type broadcast struct {
	gws.BuiltinEventHandler
	all sync.Map
}

func (b *broadcast) OnOpen(socket *gws.Conn)           { b.all.Store(socket, true) }
func (b *broadcast) OnClose(socket *gws.Conn, _ error) { b.all.Delete(socket) }
func (b *broadcast) OnMessage(_ *gws.Conn, message *gws.Message) {
	defer message.Close()
	frame := gws.NewBroadcaster(message.Opcode, message.Bytes())
	defer frame.Close()
	b.all.Range(func(socket, _ any) bool {
		_ = frame.Broadcast(socket.(*gws.Conn))
		return true
	})
}

func serve(path string, handler gws.Event) {
	upgrader := gws.NewUpgrader(handler, &gws.ServerOption{ReadMaxPayloadSize: fileMax})
	http.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if socket, err := upgrader.Upgrade(w, r); err == nil {
			go socket.ReadLoop()
		}
	})
}

func main() {
	serve("/echo", &echo{})
	serve("/sink", &counter{})
	serve("/whole", &counter{})
	serve("/broadcast", &broadcast{})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
