import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { installMoto } from './install.ts'

interface Order {
  readonly region?: string
  readonly service?: 'ec2' | 'iam'
  /** A method of boto3's client, such as `run_instances`, or one of the `own_calls` of serve.py. */
  readonly call: string
  readonly with?: object
}

export interface TestMoto {
  readonly url: string
  /** The credentials of a user with all permissions. */
  readonly key: { readonly access_key_id: string; readonly secret_access_key: string }
  /** Calls boto3, AWS's own client for Python. */
  order<Answer>(order: Order): Promise<Answer>
  stop(): Promise<void>
}

/** Starts an empty moto, a third-party emulator of EC2. It checks credentials. */
export async function startMoto(port = 0): Promise<TestMoto> {
  const server = spawn(installMoto(), ['-B', join(import.meta.dirname, 'serve.py'), String(port)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let complaints = ''
  server.stderr.on('data', (chunk: Buffer) => {
    complaints = `${complaints}${chunk.toString()}`.slice(-4_000)
  })
  const exited = once(server, 'exit')
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]()
  const readLine = async <Answer>(): Promise<Answer> => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error(`moto ended:\n${complaints}`)
    return JSON.parse(value) as Answer
  }
  const { url, id, secret } = await readLine<Record<'url' | 'id' | 'secret', string>>()

  let last: Promise<unknown> = Promise.resolve()
  /** One after the other, as their answers come. */
  const inTurn = <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }

  return {
    url,
    key: { access_key_id: id, secret_access_key: secret },
    order: <Answer>({ region = 'eu-west-1', service = 'ec2', call, with: input = {} }: Order) =>
      inTurn(async () => {
        server.stdin.write(`${JSON.stringify({ region, service, call, with: input })}\n`)
        const { answer, error } = await readLine<{ answer?: Answer; error?: string }>()
        if (error !== undefined) throw new Error(`${call}: ${error}`)
        return answer as Answer
      }),
    async stop() {
      server.kill()
      await exited
    },
  }
}
