// The image's HEALTHCHECK: exits 0 while the process responds. It runs on Node, so the image needs no shell or curl.
// With a path it prints that page of the ops listener: node healthcheck.js /readyz
import { get } from 'node:http'
import process from 'node:process'

const path = process.argv[2]

function fail(error) {
  if (path) console.error(`no answer from port ${process.env.OPS_PORT || 9100}: ${error.message}`)
  process.exit(1)
}

get(`http://localhost:${process.env.OPS_PORT || 9100}${path ?? '/livez'}`, { timeout: 5_000 }, (response) => {
  process.exitCode = response.statusCode === 200 ? 0 : 1
  if (path) response.pipe(process.stdout)
  else response.destroy()
})
  .on('timeout', function () {
    this.destroy(new Error('none within 5 s'))
  })
  .on('error', fail)
