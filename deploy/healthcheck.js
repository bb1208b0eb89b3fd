// The image's HEALTHCHECK: exits 0 while the process turns over. Node asks, since the image needs no shell and no curl.
import { get } from 'node:http'
import process from 'node:process'

get(`http://127.0.0.1:${process.env.OPS_PORT || 9100}/livez`, (response) => {
  process.exit(response.statusCode === 200 ? 0 : 1)
}).on('error', () => process.exit(1))
