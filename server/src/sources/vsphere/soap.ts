import { freeBuffer } from '../shared/free-buffer.ts'
import { SourceError, type SourceErrorKind } from '../../domain/sources/source-error.ts'
import type { HttpClient, HttpResponse } from '../shared/http-client.ts'
import { attributeOf, childOf, parseXml, textOf, type XmlElement } from '../shared/parse-xml.ts'
import { ResponseTooLarge } from '../shared/response-too-large.ts'
import { withRetries } from '../shared/retry.ts'
import { statusError } from '../shared/status-error.ts'

/** A managed object of vSphere, such as `vm-42` of the type VirtualMachine. */
export interface ObjectRef {
  readonly type: string
  readonly id: string
}

function explain(
  fault: string,
  host: string,
  method: string,
): readonly [kind: SourceErrorKind, text: string] {
  if (fault === 'NotAuthenticated') return ['credentials', `${host} has ended the session`]
  if (fault === 'NoPermission')
    return ['forbidden', `The user is not allowed to call ${method} at ${host}`]
  if (/^(?:InvalidLogin|NoSubjectName|Password\w+)$/.test(fault))
    return ['credentials', `${host} does not accept the user name and password`]
  return ['failed', `${host} could not complete ${method}`]
}

/** An error that vSphere names, such as `NotAuthenticated`. */
export class SoapFault extends SourceError {
  readonly fault: string

  constructor(fault: string, host: string, method: string) {
    const [kind, text] = explain(fault, host, method)
    // The vCenter chooses the name, so it could repeat a secret.
    super(kind, /^\w{1,64}$/.test(fault) ? `${text} (${fault}).` : `${text}.`)
    this.fault = fault
  }
}

/** Whether the session does not exist any more. */
export const hasEnded = (error: unknown): boolean =>
  error instanceof SoapFault && error.fault === 'NotAuthenticated'

/** A response of vSphere that is not valid XML, as one odd character makes it. */
export class UnparsableResponse extends SourceError {}

/** Whether a request for fewer objects may succeed. */
export const isUnparsable = (error: unknown): error is SourceError =>
  error instanceof UnparsableResponse || error instanceof ResponseTooLarge

/** The lowest version with all properties that Muster reads. Later versions accept it. */
const apiVersion = '"urn:vim25/6.7"'
/** A page has 50 virtual machines of some 200 elements. A list of ids has one element for each. */
const limits = { maxLength: 8 * 2 ** 20, maxElements: 150_000 }

const escapes: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
}
/** XML cannot contain other control characters, not even escaped. */
const controlCharacters = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

export const escapeXml = (text: string): string =>
  text.replaceAll(controlCharacters, '').replaceAll(/[<>&"]/g, (found) => escapes[found] ?? '')

export const refXml = (element: string, { type, id }: ObjectRef): string =>
  `<${element} type="${escapeXml(type)}">${escapeXml(id)}</${element}>`

/** The object that an element refers to; undefined if there is none. */
export function refOf(element: XmlElement | undefined): ObjectRef | undefined {
  const [type, id] = [attributeOf(element, 'type'), element?.text.trim() ?? '']
  return type === '' || id === '' ? undefined : { type, id }
}

/** The objects of a list. */
export const refsOf = (list: XmlElement | undefined): readonly ObjectRef[] =>
  list?.children.flatMap((element) => refOf(element) ?? []) ?? []

/** The type of a value, such as `VirtualDisk`. Its attribute has any prefix. */
export function typeOf({ attributes }: XmlElement): string {
  const [, type = ''] = attributes.entries().find(([name]) => name.endsWith(':type')) ?? []
  return type.replace(/^.*:/, '')
}

const envelope = (method: string, self: ObjectRef, parameters: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><e:Body><${method} xmlns="urn:vim25">${refXml('_this', self)}${parameters}</${method}></e:Body></e:Envelope>`

/** The content of a SOAP message; undefined if the response is none, such as the page of a proxy. */
function contentOf({ body }: HttpResponse, host: string, method: string): XmlElement | undefined {
  const text = body.toString('utf8')
  freeBuffer(body)
  if (!/^\s*(?:<\?xml[^>]*>\s*)?<[\w.-]+:Envelope[\s>]/.test(text)) return undefined
  try {
    return childOf(parseXml(text, limits), 'Body')?.children[0]
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    throw new UnparsableResponse(
      error.kind,
      `${host} sent an invalid response to ${method}. ${error.message}`,
      { cause: error },
    )
  }
}

/** The type of a fault, from the first element of its detail. */
export function faultOf(detail: XmlElement | undefined): string {
  if (!detail) return 'unknown fault'
  return typeOf(detail) || detail.name.replace(/Fault$/, '')
}

interface SoapCall {
  readonly method: string
  readonly self: ObjectRef
  readonly parameters: string
  /** Empty before the login. */
  readonly cookie: string
}

interface SoapResult {
  /** It contains `returnval`, unless there is no result. */
  readonly content: XmlElement
  readonly headers: HttpResponse['headers']
}

/** Calls a method of the SOAP API, once. */
export async function callSoapOnce(
  http: HttpClient,
  url: URL,
  { method, self, parameters, cookie }: SoapCall,
  signal: AbortSignal,
): Promise<SoapResult> {
  const { host } = url
  const headers = {
    'content-type': 'text/xml; charset=utf-8',
    soapaction: apiVersion,
    ...(cookie !== '' && { cookie }),
  }
  const body = envelope(method, self, parameters)
  const request = { url, method: 'POST', headers, body, call: method }
  const response = await http.send(request, signal)
  // A fault has the status 500.
  const isSoap = response.status === 200 || response.status === 500
  const content = isSoap ? contentOf(response, host, method) : undefined
  if (content?.name === 'Fault') {
    const detail = content.children.find(({ name }) => name === 'detail')
    const fault = faultOf(detail?.children[0])
    // Only the session's own collector can be waited for: it ends with the session.
    const isUnknown = method === 'WaitForUpdatesEx' && fault === 'ManagedObjectNotFound'
    throw new SoapFault(isUnknown ? 'NotAuthenticated' : fault, host, method)
  }
  if (response.status !== 200) throw statusError(response, { host, action: method })
  if (content?.name === `${method}Response`) return { content, headers: response.headers }
  throw new SourceError(
    'invalid-response',
    `${host} does not respond to ${method} as vSphere does: check the address, and whether a proxy is in between.`,
  )
}

/** Calls a method of the SOAP API, and repeats it after errors that a retry may solve. */
export const callSoap: typeof callSoapOnce = (http, url, call, signal) =>
  withRetries(() => callSoapOnce(http, url, call, signal), url.host, signal)

export const isTrue = (element: XmlElement | undefined, ...path: readonly string[]): boolean =>
  textOf(element, ...path) === 'true'
