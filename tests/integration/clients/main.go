// net/http against http_probe, or where only some checks are wanted, against another server.
//
// usage: main URL [CHECK...]; ends with 0 when all is well.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync"
	"time"
)

var url string

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

func pattern(size int) []byte {
	text := make([]byte, size)
	for i := range text {
		text[i] = byte('a' + i%23)
	}
	return text
}

func body(answer *http.Response, err error) []byte {
	must(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(err)
	check(answer.StatusCode == 200, "status %d", answer.StatusCode)
	return text
}

func keepsOneConnection(client *http.Client) {
	reused := 0
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if info.Reused {
			reused++
		}
	}}
	ctx := httptrace.WithClientTrace(context.Background(), trace)
	for i := 0; i < 20; i++ {
		request, err := http.NewRequestWithContext(ctx, "GET", url+"/peer", nil)
		must(err)
		body(client.Do(request))
	}
	check(reused >= 19, "%d of 20 on a connection that was there", reused)
}

func echoes(client *http.Client) {
	text := pattern(1000003)
	for _, expect := range []string{"", "100-continue"} {
		request, err := http.NewRequest("POST", url+"/echo", bytes.NewReader(text))
		must(err)
		if expect != "" {
			request.Header.Set("Expect", expect)
		}
		check(bytes.Equal(body(client.Do(request)), text), "echo differs, Expect %q", expect)
	}
}

func streamsUp(client *http.Client) {
	reader, writer := io.Pipe()
	hash := sha256.New()
	total := 0
	done := make(chan bool)
	go func() {
		for i := 0; i < 64; i++ {
			piece := pattern(10000 + i)
			total += len(piece)
			hash.Write(piece)
			writer.Write(piece)
			if i%16 == 0 {
				time.Sleep(5 * time.Millisecond)
			}
		}
		writer.Close()
		done <- true
	}()
	request, err := http.NewRequest("PUT", url+"/upload?sha", reader)
	must(err)
	said := strings.Fields(string(body(client.Do(request))))
	<-done
	check(len(said) == 3 && said[0] == fmt.Sprint(total), "%v, not %d bytes", said, total)
	check(said[2] == hex.EncodeToString(hash.Sum(nil)), "another hash: %v", said)
}

func streamsDown(client *http.Client) {
	expected := pattern(5000000)
	for _, path := range []string{"/download/5000000", "/download/5000000?length"} {
		check(bytes.Equal(body(client.Get(url+path)), expected), "%s differs", path)
	}
	answer, err := client.Get(url + "/ticks/10")
	must(err)
	defer answer.Body.Close()
	buffer := make([]byte, 4096)
	var first, last time.Time
	events := 0
	for {
		size, err := answer.Body.Read(buffer)
		events += strings.Count(string(buffer[:size]), "data: tick")
		if size > 0 {
			last = time.Now()
			if first.IsZero() {
				first = last
			}
		}
		if err == io.EOF {
			break
		}
		must(err)
	}
	check(events == 10 && last.Sub(first) > 100*time.Millisecond, "%d events in one piece", events)
}

func waitsForMany(client *http.Client) {
	begun := time.Now()
	var all sync.WaitGroup
	failures := make(chan interface{}, 50)
	for i := 0; i < 50; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			defer func() {
				if failure := recover(); failure != nil {
					failures <- failure
				}
			}()
			text := body(client.Get(url + "/sleep/300"))
			check(string(text) == "slept\n", "said %q", text)
		}()
	}
	all.Wait()
	check(len(failures) == 0, "%d of 50 failed", len(failures))
	check(time.Since(begun) < 10*time.Second, "one after the other")
}

func knowsStatuses(client *http.Client) {
	check(string(body(client.Get(url+"/redirect"))) == "hello\n", "the redirect leads elsewhere")
	head, err := client.Head(url + "/hello")
	must(err)
	check(head.StatusCode == 200 && head.ContentLength == 6, "HEAD: %v", head)
	missing, err := client.Get(url + "/nothing")
	must(err)
	missing.Body.Close()
	check(missing.StatusCode == 404, "status %d", missing.StatusCode)
	request, err := http.NewRequest("DELETE", url+"/hello", nil)
	must(err)
	other, err := client.Do(request)
	must(err)
	other.Body.Close()
	check(other.StatusCode == 405 && strings.Contains(other.Header.Get("Allow"), "GET"),
		"DELETE: %v", other)
}

func mayGoAway(client *http.Client) {
	for i := 0; i < 5; i++ {
		answer, err := client.Get(url + "/download/100000000")
		must(err)
		_, err = io.ReadFull(answer.Body, make([]byte, 1000))
		must(err)
		answer.Body.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", url+"/sleep/60000", nil)
	must(err)
	_, err = client.Do(request)
	check(err != nil, "it came early")
	check(string(body(client.Get(url+"/hello"))) == "hello\n", "no hello")
}

func main() {
	url = os.Args[1]
	transport := &http.Transport{ExpectContinueTimeout: 5 * time.Second}
	client := &http.Client{Transport: transport, Timeout: 30 * time.Second}
	for _, one := range []struct {
		name string
		run  func(*http.Client)
	}{{"keepsOneConnection", keepsOneConnection}, {"echoes", echoes}, {"streamsUp", streamsUp},
		{"streamsDown", streamsDown}, {"waitsForMany", waitsForMany},
		{"knowsStatuses", knowsStatuses}, {"mayGoAway", mayGoAway}} {
		if wanted := " " + strings.Join(os.Args[2:], " ") + " "; wanted != "  " &&
			!strings.Contains(wanted, " "+one.name+" ") {
			continue
		}
		one.run(client)
		fmt.Println("ok", one.name)
	}
}
