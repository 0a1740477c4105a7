import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The bare server, in its own process: sends one response from memory to every request, without
 * routing, authentication or database. Prints its port.
 */
const [, , folder = ''] = process.argv
const { status, headers } = JSON.parse(readFileSync(`${folder}/answer.json`, 'utf8')) as {
  status: number
  headers: string[]
}
const body = readFileSync(`${folder}/body`)

const server = createServer((_request, response) => {
  response.writeHead(status, headers)
  response.end(body.length === 0 ? undefined : body)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGINT', () => process.exit(0))
