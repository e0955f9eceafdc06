// ws_app.cc on quickws: ws_quickws PORT
package main

import (
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/antlabs/quickws"
)

const fileMax = 1 << 30

func serve(path string, options ...quickws.ServerOption) {
	upgrade := quickws.NewUpgrade(append(options, quickws.WithServerReadMaxMessage(fileMax))...)
	http.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if socket, err := upgrade.Upgrade(w, r); err == nil {
			_ = socket.ReadLoop()
		}
	})
}

func counted(socket *quickws.Conn, _ quickws.Opcode, message []byte) {
	_ = socket.WriteMessage(quickws.Text, strconv.AppendInt(nil, int64(len(message)), 10))
}

func main() {
	var all sync.Map
	serve("/echo", quickws.WithServerOnMessageFunc(
		func(socket *quickws.Conn, opcode quickws.Opcode, message []byte) {
			_ = socket.WriteTimeout(opcode, message, 3*time.Second)
		}))
	serve("/sink", quickws.WithServerOnMessageFunc(counted))
	serve("/whole", quickws.WithServerOnMessageFunc(counted))
	serve("/broadcast", quickws.WithServerCallbackFunc(
		func(socket *quickws.Conn) { all.Store(socket, true) },
		func(_ *quickws.Conn, opcode quickws.Opcode, message []byte) {
			all.Range(func(socket, _ any) bool {
				_ = socket.(*quickws.Conn).WriteMessage(opcode, message)
				return true
			})
		},
		func(socket *quickws.Conn, _ error) { all.Delete(socket) }))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
