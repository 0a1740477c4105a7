import { SourceError } from '../../domain/sources/source-error.ts'
import type { SourceContext } from '../../domain/sources/source.ts'
import { createHttpClient, type HttpClient } from '../shared/http-client.ts'
import { childOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import { callSoap, callSoapOnce, escapeXml, refOf, SoapFault, type ObjectRef } from './soap.ts'
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
  /** Calls a method that removes an object from the session, also after the signal. Errors are ignored. */
  destroy(method: string, self: ObjectRef): Promise<void>
}

/**
 * A login to a vCenter or an ESXi host. It is never renewed: after another login the address may lead to another
 * vCenter, in which the same ids belong to other objects.
 */
export interface Session {
  readonly host: string
  readonly isVCenter: boolean
  /** Such as `VMware vCenter Server 8.0.3 build-24022515`. */
  readonly title: string
  /** Empty on a standalone host. */
  readonly uuid: string
  /** For the REST API. */
  readonly http: HttpClient
  readonly id: string
  /** Call it when vSphere says that the session no longer exists. */
  end(): void
  readonly ended: Promise<void>
  until(signal: AbortSignal): Api
  close(): Promise<void>
}

const serviceInstance = { type: 'ServiceInstance', id: 'ServiceInstance' }
/** How long closing waits for vSphere. Milliseconds. */
export const closingTime = 2_000

/** Logs in. The password is sent to the configured address only. For changes, each request is sent once. */
export async function openSession(
  { sdk, user, password, tls }: VSphereSettings,
  context: SourceContext,
  signal: AbortSignal,
  sendsOnce = false,
): Promise<Session> {
  const { host } = sdk
  const http = createHttpClient(context, { ...tls, sendsOnce })
  const ending = Promise.withResolvers<void>()
  let content: XmlElement | undefined
  let cookie = ''
  let isEnded = false

  const fail = (what: string) => new SourceError('invalid-response', `${host} ${what}.`)
  const send = (method: string, self: ObjectRef, parameters: string, stop: AbortSignal) =>
    (sendsOnce ? callSoapOnce : callSoap)(http, sdk, { method, self, parameters, cookie }, stop)
  const find = (name: string) => refOf(childOf(content, name))
  function manager(name: string): ObjectRef {
    const ref = find(name)
    if (!ref) throw fail(`has no ${name}`)
    return ref
  }

  async function login(): Promise<string> {
    const parameters = `<userName>${escapeXml(user)}</userName><password>${escapeXml(password)}</password>`
    const { content: session, headers } = await send(
      'Login',
      manager('sessionManager'),
      parameters,
      signal,
    )
    const cookies = headers['set-cookie']?.map((one) => one.split(';')[0]?.trim() ?? '')
    cookie = cookies?.find((one) => one.startsWith('vmware_soap_session=')) ?? ''
    if (cookie === '') throw fail('sent no session')
    return textOf(session, 'returnval', 'key')
  }

  const until = (stop: AbortSignal): Api => {
    const call: Api['call'] = async (method, self, parameters = '') => {
      if (isEnded) throw new SoapFault('NotAuthenticated', host, method)
      return (await send(method, self, parameters, stop)).content
    }
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
      async destroy(method, self) {
        if (isEnded) return
        await send(method, self, '', AbortSignal.timeout(closingTime)).catch(() => {})
      },
    }
  }

  let isVCenter = false
  try {
    const service = await send('RetrieveServiceContent', serviceInstance, '', signal)
    content = childOf(service.content, 'returnval')
    const about = childOf(content, 'about')
    isVCenter = textOf(about, 'apiType') === 'VirtualCenter'
    if (!isVCenter && textOf(about, 'apiType') !== 'HostAgent')
      throw fail('is neither a vCenter nor an ESXi host')
    return {
      host,
      isVCenter,
      title: textOf(about, 'fullName'),
      uuid: textOf(about, 'instanceUuid'),
      http,
      id: await login(),
      end() {
        isEnded = true
        ending.resolve()
      },
      ended: ending.promise,
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
