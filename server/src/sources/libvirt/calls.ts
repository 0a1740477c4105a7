import { SourceError } from '../../domain/sources/source-error.ts'
import type { SourceContext } from '../../domain/sources/source.ts'
import { namingCall } from '../shared/naming-call.ts'
import { createDomainCalls } from './domain-calls.ts'
import { longestName, nameOfProcedure, procedures, type Procedure } from './protocol.ts'
import { createResourceCalls } from './resource-calls.ts'
import type { CallLibvirt, RpcClient } from './rpc-client.ts'

/** The CPUs and the memory of the host. */
export interface NodeInfo {
  readonly cpus: number
  /** In KiB. */
  readonly memory: number
}

/** A text of 32 characters, each in four bytes. */
const nodeModelBytes = 128
/** The frequency, and the numbers of NUMA nodes, sockets, cores and threads. */
const nodeTopologyBytes = 20

/** The libvirt calls that Muster uses, under the caller's rate limit. */
export function createCalls(
  rpc: RpcClient,
  signal: AbortSignal,
  throttle: SourceContext['throttle'],
) {
  const call: CallLibvirt = async (one) => {
    await throttle()
    return await namingCall(nameOfProcedure(one.procedure), () => rpc.call(one, signal))
  }
  /** Whether the connection is open and the signal is not aborted. */
  const canContinue = () => !signal.aborted && rpc.failure() === undefined
  const callVersion = (procedure: Procedure) =>
    call({ procedure, read: (reader) => Number(reader.hyper()) })

  return {
    canContinue,
    /** Throws the error again if the connection caused it, and not the object of one call. */
    async requireConnection(error: unknown): Promise<void> {
      if (!canContinue()) throw error
      // If this is not answered either, the daemon hangs.
      const isLate = error instanceof SourceError && error.kind === 'timeout'
      if (isLate) await callVersion(procedures.connectGetLibVersion)
    },

    hostname: () =>
      call({
        procedure: procedures.connectGetHostname,
        read: (reader) => reader.string(longestName),
      }),
    capabilities: () =>
      call({ procedure: procedures.connectGetCapabilities, read: (reader) => reader.string() }),
    sysinfo: () =>
      call({
        procedure: procedures.connectGetSysinfo,
        write: (writer) => writer.uint(0),
        read: (reader) => reader.string(),
      }),
    nodeInfo: (): Promise<NodeInfo> =>
      call({
        procedure: procedures.nodeGetInfo,
        read(reader) {
          reader.fixed(nodeModelBytes)
          const memory = Number(BigInt.asUintN(64, reader.hyper()))
          const cpus = reader.int()
          reader.fixed(nodeTopologyBytes)
          return { memory, cpus }
        },
      }),
    libraryVersion: () => callVersion(procedures.connectGetLibVersion),
    hypervisorVersion: () => callVersion(procedures.connectGetVersion),

    ...createResourceCalls(call),
    ...createDomainCalls(call),
  }
}
export type Calls = ReturnType<typeof createCalls>
