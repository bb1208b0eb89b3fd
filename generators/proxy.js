// Prism as a validating proxy before the service: `node proxy.js OPENAPI.json ORIGIN`. Prints its own origin. What an
// exchange has against the description is in the answer's `sl-violations` header.
import { getHttpOperationsFromSpec } from '@stoplight/prism-http'
import { createServer } from '@stoplight/prism-http-server'

const [description, upstream] = process.argv.slice(2)
const quiet = { info() {}, warn() {}, error() {}, debug() {}, trace() {}, success() {}, child: () => quiet }
const proxy = createServer(await getHttpOperationsFromSpec(description), {
  components: { logger: quiet },
  cors: false,
  config: {
    isProxy: true,
    upstream: new URL(upstream),
    checkSecurity: true,
    validateRequest: true,
    validateResponse: true,
    errors: false,
    mock: { dynamic: false },
    upstreamProxy: undefined,
  },
})
console.log(await proxy.listen(0, '127.0.0.1'))
