module access-key-client

go 1.21

require github.com/minio/minio-go v6.0.14+incompatible
