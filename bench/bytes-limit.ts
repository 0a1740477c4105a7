import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stopChild, trackChild } from './child-processes.ts'
import type { LoadRequest } from './load-types.ts'
import { removeFolder } from './server.ts'

/** Node adds these headers itself. */
const ownHeaders = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])

/** Records a real response. */
async function capture(url: string, { path, headers }: LoadRequest) {
  const [response] = (await once(get(url + path, { headers: { ...headers } }), 'response')) as [
    IncomingMessage,
  ]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const kept: string[] = []
  for (let at = 0; at < response.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = response.rawHeaders.slice(at, at + 2)
    if (!ownHeaders.has(name.toLowerCase())) kept.push(name, value)
  }
  const { statusCode: status = 0 } = response
  if (status >= 400) throw new Error(`${path}: ${status} ${Buffer.concat(chunks).toString()}`)
  return { status, headers: kept, body: Buffer.concat(chunks), etag: response.headers.etag ?? '' }
}

/** Starts a bare server that sends Muster's response to this request. */
export async function startBareServer(url: string, request: LoadRequest) {
  const { body, etag, ...answer } = await capture(url, request)
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  writeFileSync(join(folder, 'answer.json'), JSON.stringify(answer))
  writeFileSync(join(folder, 'body'), body)
  const program = fileURLToPath(new URL('bare-server.ts', import.meta.url))
  const child = trackChild(
    spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    url: `http://127.0.0.1:${port.toString().trim()}`,
    status: answer.status,
    etag,
    bytes: body.length,
    async stop() {
      await stopChild(child)
      removeFolder(folder)
    },
  }
}
