import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

// Below the ports that systems use for outgoing connections (Linux: from 32768) and that container engines publish.
// Otherwise a connection of a load test could take the port before it is used. `fetch` refuses 10080.
const first = 10_081
const last = 32_000
/** Each process begins elsewhere and takes no port twice: another could take a port before it is used. */
let taken = process.pid * 101

/** Free ports on this machine. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = first + (taken++ % (last - first))
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

/** Starts a server on this machine, at a free port unless one is given. Resolves to its port. */
export async function listen(server: Server, port = 0): Promise<number> {
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const isOurs = await listen(server, port).then(Boolean, () => false)
  if (isOurs) await once(server.close(), 'close')
  return isOurs
}
