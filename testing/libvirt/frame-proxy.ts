import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createFrameSplitter,
  encodeFrame,
  type Frame,
} from '../../server/src/sources/libvirt/frame.ts'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'

interface Interference {
  /** Changes a request before the daemon gets it. */
  readonly change?: (frame: Frame) => Frame
  /** Closes the connection instead of passing the answer on. */
  readonly drops?: (frame: Frame) => boolean
}

/** A socket in front of a real daemon that interferes with single messages. Returns its address. */
export async function startFrameProxy(
  lifetime: Lifetime,
  address: string,
  { change = (frame) => frame, drops = () => false }: Interference,
): Promise<string> {
  const [uri = '', target = ''] = address.split('?socket=')
  const folder = mkdtempSync(join(tmpdir(), 'muster-frames-'))
  const path = join(folder, 'socket')
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target)
    const end = () => {
      near.destroy()
      far.destroy()
    }
    const pass = (from: Socket, onFrame: (frame: Frame) => void) => {
      const splitter = createFrameSplitter()
      from.on('data', (chunk: Buffer) => {
        for (const frame of splitter.push(chunk)) onFrame(frame)
      })
      from.on('close', end).on('error', end)
      sockets.add(from)
    }
    pass(near, (frame) => far.write(encodeFrame(change(frame))))
    pass(far, (frame) => (drops(frame) ? end() : near.write(encodeFrame(frame))))
  })
  server.listen(path)
  await once(server, 'listening')
  lifetime.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return `${uri}?socket=${path}`
}
