import { SourceError } from '../../domain/sources/source-error.ts'
import type { SourceContext } from '../../domain/sources/source.ts'
import { createHttpClient, type HttpClient } from '../shared/http-client.ts'
import { childOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import { callSoap, escapeXml, refOf, SoapFault, type ObjectRef, type SoapCall } from './soap.ts'
import type { VSphereSettings } from './vsphere-settings.ts'

/** The entry points of a vCenter or an ESXi host, and what it says of itself. */
export interface Service {
  readonly isVCenter: boolean
  /** Such as `VMware vCenter Server 8.0.3 build-24022515`. */
  readonly title: string
  /** Empty on a standalone host. */
  readonly uuid: string
  /** The managed object of this name; undefined if the service does not have it. */
  manager(name: string): ObjectRef | undefined
}

export interface Session {
  readonly host: string
  readonly service: Service
  /** For the REST API of a vCenter. */
  readonly http: HttpClient
  /** The id of the current login. */
  id(): string
  /** Calls a method. Fails with the fault NotAuthenticated if the session has ended. */
  call(call: SoapCall, signal: AbortSignal): Promise<XmlElement>
  /**
   * Runs requests that depend on each other. If the session has ended, logs in again and
   * repeats them once: views and tokens do not outlive a session.
   */
  run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>
  close(): Promise<void>
}

const serviceInstance = { type: 'ServiceInstance', id: 'ServiceInstance' }

export const requireManager = ({ manager }: Service, name: string, host: string): ObjectRef => {
  const ref = manager(name)
  if (ref) return ref
  throw new SourceError('invalid-response', `${host} has no ${name}.`)
}

const hasEnded = (error: unknown): boolean =>
  error instanceof SoapFault && error.fault === 'NotAuthenticated'

function readService(content: XmlElement | undefined, host: string): Service {
  const about = childOf(content, 'about')
  const apiType = textOf(about, 'apiType')
  if (apiType !== 'VirtualCenter' && apiType !== 'HostAgent')
    throw new SourceError('invalid-response', `${host} is neither a vCenter nor an ESXi host.`)
  return {
    isVCenter: apiType === 'VirtualCenter',
    title: textOf(about, 'fullName'),
    uuid: textOf(about, 'instanceUuid'),
    manager: (name) => refOf(childOf(content, name)),
  }
}

/** Logs in. The password is sent to the configured address only. */
export async function openSession(
  settings: VSphereSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<Session> {
  const { sdk, user, password, tls } = settings
  const http = createHttpClient(context, { ...tls, maxBytes: 32 * 2 ** 20 })
  let cookie = ''
  let id = ''
  let renewal: Promise<void> | undefined

  const send = (call: SoapCall, stop: AbortSignal) => callSoap(http, sdk, call, cookie, stop)

  async function login(service: Service, stop: AbortSignal): Promise<void> {
    cookie = ''
    const self = requireManager(service, 'sessionManager', sdk.host)
    const parameters = `<userName>${escapeXml(user)}</userName><password>${escapeXml(password)}</password>`
    const { response, headers } = await send({ method: 'Login', self, parameters }, stop)
    id = textOf(response, 'returnval', 'key')
    cookie =
      headers['set-cookie']
        ?.map((one) => one.split(';')[0]?.trim() ?? '')
        .find((one) => one.startsWith('vmware_soap_session=')) ?? ''
    if (cookie === '') throw new SourceError('invalid-response', `${sdk.host} sent no session.`)
  }

  async function logout(service: Service): Promise<void> {
    if (cookie === '') return
    const self = requireManager(service, 'sessionManager', sdk.host)
    await send({ method: 'Logout', self }, AbortSignal.timeout(2_000)).catch(() => {})
    cookie = ''
  }

  try {
    const call = { method: 'RetrieveServiceContent', self: serviceInstance }
    const { response } = await send(call, signal)
    const service = readService(childOf(response, 'returnval'), sdk.host)
    await login(service, signal)
    return {
      host: sdk.host,
      service,
      http,
      id: () => id,
      call: async (request, stop) => (await send(request, stop)).response,
      async run(work, stop) {
        const usedId = id
        try {
          return await work()
        } catch (error) {
          // After a new login by somebody else, the views of the old session are unknown.
          if (!hasEnded(error) && id === usedId) throw error
          // Concurrent requests share one new login.
          if (id === usedId) renewal ??= login(service, stop).finally(() => (renewal = undefined))
          await renewal
          return await work()
        }
      },
      async close() {
        await logout(service)
        http.close()
      },
    }
  } catch (error) {
    http.close()
    throw error
  }
}
