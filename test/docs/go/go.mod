module check

go 1.23.0

require (
	github.com/gowebpki/jcs v1.0.1
	golang.org/x/mod v0.24.0
)
