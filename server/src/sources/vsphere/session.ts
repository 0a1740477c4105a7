import { SourceError } from '../../domain/sources/source-error.ts'
import type { SourceContext } from '../../domain/sources/source.ts'
import { createHttpClient, type HttpClient } from '../shared/http-client.ts'
import { childOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import { callSoap, escapeXml, refOf, SoapFault, type ObjectRef } from './soap.ts'
import type { VSphereSettings } from './vsphere-settings.ts'

/** The SOAP API, for requests that end with one signal. */
export interface Api {
  readonly host: string
  readonly isVCenter: boolean
  /** The managed object of this name, such as `searchIndex`; undefined if there is none. */
  find(name: string): ObjectRef | undefined
  manager(name: string): ObjectRef
  /** Calls a method, with parameters in XML in the order of the API's description. */
  call(method: string, self: ObjectRef, parameters?: string): Promise<XmlElement>
  /** Calls a method that creates an object. */
  create(method: string, self: ObjectRef, parameters?: string): Promise<ObjectRef>
  /**
   * Runs requests that depend on each other. If the session has ended, logs in again and
   * repeats them once: views and tokens do not outlive a session.
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

/** A login to a vCenter or an ESXi host. */
export interface Session {
  readonly host: string
  readonly isVCenter: boolean
  /** Such as `VMware vCenter Server 8.0.3 build-24022515`. */
  readonly title: string
  /** Empty on a standalone host. */
  readonly uuid: string
  /** For the REST API. */
  readonly http: HttpClient
  /** The id of the current login. */
  id(): string
  until(signal: AbortSignal): Api
  close(): Promise<void>
}

const serviceInstance = { type: 'ServiceInstance', id: 'ServiceInstance' }
const closingTime = 2_000

const hasEnded = (error: unknown): boolean =>
  error instanceof SoapFault && error.fault === 'NotAuthenticated'

/** Logs in. The password is sent to the configured address only. */
export async function openSession(
  { sdk, user, password, tls }: VSphereSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<Session> {
  const { host } = sdk
  const http = createHttpClient(context, { ...tls, maxBytes: 32 * 2 ** 20 })
  let content: XmlElement | undefined
  let cookie = ''
  let id = ''
  let renewal: Promise<void> | undefined

  const fail = (what: string) => new SourceError('invalid-response', `${host} ${what}.`)
  const send = (method: string, self: ObjectRef, parameters: string, stop: AbortSignal) =>
    callSoap(http, sdk, { method, self, parameters, cookie }, stop)
  const find = (name: string) => refOf(childOf(content, name))
  function manager(name: string): ObjectRef {
    const ref = find(name)
    if (!ref) throw fail(`has no ${name}`)
    return ref
  }

  async function login(stop: AbortSignal): Promise<void> {
    cookie = ''
    const parameters = `<userName>${escapeXml(user)}</userName><password>${escapeXml(password)}</password>`
    const { response, headers } = await send('Login', manager('sessionManager'), parameters, stop)
    id = textOf(response, 'returnval', 'key')
    const cookies = headers['set-cookie']?.map((one) => one.split(';')[0]?.trim() ?? '')
    cookie = cookies?.find((one) => one.startsWith('vmware_soap_session=')) ?? ''
    if (cookie === '') throw fail('sent no session')
  }

  const until = (stop: AbortSignal): Api => {
    const call: Api['call'] = async (method, self, parameters = '') =>
      (await send(method, self, parameters, stop)).response
    return {
      host,
      isVCenter,
      find,
      manager,
      call,
      async create(...given) {
        const ref = refOf(childOf(await call(...given), 'returnval'))
        if (!ref) throw fail(`returned no object of ${given[0]}`)
        return ref
      },
      async run(work) {
        const usedId = id
        try {
          return await work()
        } catch (error) {
          // After a new login by somebody else, the views of the old session are unknown.
          if (!hasEnded(error) && id === usedId) throw error
          // Concurrent requests share one new login.
          if (id === usedId) renewal ??= login(stop).finally(() => (renewal = undefined))
          await renewal
          return await work()
        }
      },
    }
  }

  let isVCenter = false
  try {
    const { response } = await send('RetrieveServiceContent', serviceInstance, '', signal)
    content = childOf(response, 'returnval')
    const about = childOf(content, 'about')
    isVCenter = textOf(about, 'apiType') === 'VirtualCenter'
    if (!isVCenter && textOf(about, 'apiType') !== 'HostAgent')
      throw fail('is neither a vCenter nor an ESXi host')
    await login(signal)
    return {
      host,
      isVCenter,
      title: textOf(about, 'fullName'),
      uuid: textOf(about, 'instanceUuid'),
      http,
      id: () => id,
      until,
      async close() {
        const stop = AbortSignal.timeout(closingTime)
        await send('Logout', manager('sessionManager'), '', stop).catch(() => {})
        http.close()
      },
    }
  } catch (error) {
    http.close()
    throw error
  }
}
