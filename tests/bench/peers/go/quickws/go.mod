module ssxrver.bench/quickws

go 1.21

require github.com/antlabs/quickws v0.2.2

require (
	github.com/antlabs/wsutil v0.1.11 // indirect
	github.com/klauspost/compress v1.17.8 // indirect
)
