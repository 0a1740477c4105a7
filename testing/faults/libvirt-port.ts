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
import {
  changingProcedures,
  errorCodes,
  longestList,
  messageTypes,
  nameOfProcedure,
  procedures,
  programs,
  type Procedure,
} from '../../server/src/sources/libvirt/protocol.ts'
import { readDomainHandle, writeDomainHandle } from '../../server/src/sources/libvirt/records.ts'
import { createXdrReader, createXdrWriter } from '../../server/src/sources/libvirt/xdr.ts'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'
import type { Call, Exchange, FaultPort, ResponseFault } from './back-end.ts'

/** The errors of libvirt that mean the same as statuses of HTTP. */
const codes: Readonly<Record<number, number>> = {
  401: errorCodes.authFailed,
  429: errorCodes.resourceBusy,
  // An internal error, and one of the operating system.
  500: 1,
  503: 38,
}

function encodeError(status: number): Buffer {
  const writer = createXdrWriter()
  const text = (value?: string) => writer.optional(value, (given) => writer.string(given))
  writer.int(codes[status] ?? 1).int(0)
  text(`the proxy answers ${status}`).int(2).uint(0)
  text()
  text()
  text().int(0).int(0).uint(0)
  return writer.finish()
}

/** Keeps a part of the list of domains. The count that follows agrees with it. */
function cutDomains(body: Buffer, keep: (items: number) => number): Buffer {
  const reader = createXdrReader(body)
  const domains = reader.array(longestList, () => readDomainHandle(reader))
  const writer = createXdrWriter()
  const kept = domains.slice(0, keep(domains.length))
  writer.array(kept, (domain) => writeDomainHandle(writer, domain)).uint(kept.length)
  return writer.finish()
}

const changing = new Set<number>(Object.values(changingProcedures))

const callOf = ({ procedure, body }: Frame): Call => ({
  name: nameOfProcedure(procedure as Procedure) || `procedure ${procedure}`,
  changes: changing.has(procedure),
  isHeartbeat: procedure === procedures.connectGetLibVersion,
  isOptional: procedure === procedures.connectClose,
  content: body.toString('hex'),
})

/** A socket in front of a real libvirt daemon that breaks single messages. */
export async function startLibvirtPort(lifetime: Lifetime, target: string) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-faults-'))
  const path = join(folder, 'socket')
  const sockets = new Set<Socket>()
  const exchanges: { call: Call; isDelivered: boolean; status: number | undefined }[] = []
  let injected: { fault: ResponseFault; matches: (call: Call) => boolean } | undefined
  let isCut = false

  const server = createServer((near) => {
    const far = connect(target)
    const waiting = new Map<number, { exchange: (typeof exchanges)[number]; fault: unknown }>()
    const end = () => {
      near.destroy()
      far.destroy()
    }
    const pass = (from: Socket, onFrame: (frame: Frame) => void) => {
      const splitter = createFrameSplitter()
      from.on('data', (chunk: Buffer) => {
        for (const frame of splitter.push(chunk)) onFrame(frame)
      })
      from.on('close', () => {
        sockets.delete(from)
        // Muster may be killed before libvirt has answered, and the log has to tell whether it did.
        if (from === far || waiting.size === 0) end()
      })
      from.on('error', end)
      sockets.add(from)
    }
    if (isCut) return end()

    pass(near, (frame) => {
      if (frame.program !== programs.remote || frame.type !== messageTypes.call) {
        return void far.write(encodeFrame(frame))
      }
      const call = callOf(frame)
      const exchange: (typeof exchanges)[number] = { call, isDelivered: false, status: undefined }
      exchanges.push(exchange)
      port.onCall?.(call)
      const fault = injected?.matches(call) ? injected.fault : undefined
      if (fault === 'hang') return
      if (fault === 'reset') return end()
      if (typeof fault === 'number') {
        exchange.status = fault
        const reply = { ...frame, type: messageTypes.reply, status: 1, body: encodeError(fault) }
        return void near.write(encodeFrame(reply))
      }
      waiting.set(frame.serial, { exchange, fault })
      far.write(encodeFrame(frame))
    })

    pass(far, (frame) => {
      const { exchange, fault } = waiting.get(frame.serial) ?? {}
      const isReply = frame.program === programs.remote && frame.type === messageTypes.reply
      if (!isReply || !exchange) return void near.write(encodeFrame(frame))
      waiting.delete(frame.serial)
      exchange.isDelivered = true
      if (fault === 'lost' || near.destroyed) return end()
      const bytes = encodeFrame(frame)
      if (fault === 'cut') return void near.write(bytes.subarray(0, bytes.length / 2), end)
      if (fault === 'garbage') return void near.write(Buffer.alloc(64, 0xff))
      exchange.status = frame.status === 0 ? 200 : 400
      near.write(encodeFrame({ ...frame, body: changeList(frame, exchange.call, fault) }))
    })
  })

  function changeList(frame: Frame, call: Call, fault: unknown): Buffer {
    const { procedure, status, body } = frame
    const isList = procedure === procedures.connectListAllDomains && status === 0
    if (!isList || typeof fault !== 'object' || fault === null) return body
    if ('onList' in fault) {
      const { onList } = fault as { onList: (call: Call, items: number) => void }
      return cutDomains(body, (items) => {
        onList(call, items)
        return items
      })
    }
    const share = (fault as { keep: string }).keep === 'none' ? 0 : 0.5
    return cutDomains(body, (items) => Math.floor(items * share))
  }

  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  server.listen(path)
  await once(server, 'listening')
  lifetime.after(() => {
    cut()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const port: FaultPort = {
    exchanges: (): readonly Exchange[] => exchanges.map((exchange) => ({ ...exchange })),
    onCall: undefined,
    inject(fault, matches) {
      injected = { fault, matches }
    },
    refuse: () => void server.close(),
    cut,
    heal() {
      port.onCall = undefined
      injected = undefined
      isCut = false
      if (!server.listening) server.listen(path)
    },
  }
  return { port, path }
}
