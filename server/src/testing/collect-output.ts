import { PassThrough } from 'node:stream'
import type { Io } from '../cli/io.ts'

/** Standard streams of a command, whose output can be read. */
export function collectOutput() {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const io: Io = { stdin, stdout, stderr }
  const read = (stream: PassThrough) => {
    const chunks: unknown[] = []
    for (let chunk: unknown; (chunk = stream.read()) !== null;) chunks.push(chunk)
    return chunks.map(String).join('')
  }
  return { io, stdout: () => read(stdout), stderr: () => read(stderr) }
}
