import { PassThrough } from 'node:stream'
import { globalFlags } from '../grammar/flag.ts'
import { parseFlags } from '../grammar/parse-flags.ts'
import { createOutput, type Output } from '../output/output.ts'

/** What a command prints with these flags. */
export async function runOutput(
  flags: readonly string[],
  print: (output: Output) => Promise<void>,
  terminal?: { readonly columns: number },
) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const io = {
    stdin,
    stdout: Object.assign(stdout, terminal && { isTTY: true, ...terminal }),
    stderr,
  }
  await print(createOutput(parseFlags(globalFlags, flags), io, {}))
  const read = (stream: PassThrough) => {
    const chunks: Buffer[] = []
    for (let chunk; (chunk = stream.read() as Buffer | null) !== null;) chunks.push(chunk)
    return Buffer.concat(chunks).toString('utf8')
  }
  return { stdout: read(stdout), stderr: read(stderr) }
}
