import { loginFailed } from '../../../error.ts'
import type { ExternalIdentity } from '../../provider-driver.ts'
import { parseStrictXml, type XmlElement } from './parse-strict-xml.ts'

const namespace = 'http://www.yale.edu/tp/cas'
const longestUser = 255
const mostValues = 200
const longestValue = 1_024

/** The syntax of every name in Muster. */
const nameShape = /^[^\s\p{C}](?:[^\p{Cc}\p{Cs}]*[^\s\p{C}])?$/u

/**
 * Parses the response of a CAS server. Only a document with exactly one success element and nothing
 * else yields a user: an ambiguous document is rejected.
 */
export function parseCasResponse(xml: string): ExternalIdentity {
  try {
    return readResponse(parseStrictXml(xml))
  } catch (error) {
    throw loginFailed(`CAS answer: ${(error as Error).message}`)
  }
}

function readResponse(response: XmlElement): ExternalIdentity {
  requireName(response, 'serviceResponse')
  const [outcome, another] = childrenOf(response)
  if (!outcome || another) throw new Error('not exactly one outcome')
  if (outcome.uri === namespace && outcome.name === 'authenticationFailure') {
    throw new Error(`refused the ticket, ${failureCode(outcome)}`)
  }
  requireName(outcome, 'authenticationSuccess')
  return readSuccess(outcome)
}

/** The code with which a server refused a ticket; undefined if the response is anything else. */
export function refusalCode(xml: string): string | undefined {
  const response = parseStrictXml(xml)
  requireName(response, 'serviceResponse')
  const [outcome] = childrenOf(response)
  return outcome?.name === 'authenticationFailure' ? failureCode(outcome) : undefined
}

/** The code of a failure, for the log. Its text may quote the ticket and is not logged. */
function failureCode({ attributes }: XmlElement): string {
  const code = attributes.get('code') ?? ''
  return /^[A-Z_]{1,64}$/.test(code) ? code : 'without a known code'
}

function readSuccess(success: XmlElement): ExternalIdentity {
  const parts = childrenOf(success)
  for (const part of parts) requireKnown(part)
  const [user, secondUser] = named(parts, 'user')
  const [attributes, secondAttributes] = named(parts, 'attributes')
  if (!user || secondUser) throw new Error('not exactly one user')
  if (secondAttributes) throw new Error('attributes twice')
  return {
    subject: readUser(user),
    attributes: attributes ? readAttributes(attributes) : new Map(),
  }
}

function requireKnown(part: XmlElement): void {
  const { uri, name } = part
  if (uri !== namespace) throw new Error('an element of another namespace')
  switch (name) {
    case 'user':
    case 'attributes':
      return
    case 'attribute':
    case 'proxyGrantingTicket':
      // Some servers repeat each attribute in this older form; the ticket is not used.
      textOf(part)
      return
    case 'proxies':
      throw new Error('the ticket came through a proxy, not from the person')
    default:
      throw new Error('an unknown element in the success')
  }
}

function readUser(element: XmlElement): string {
  const user = textOf(element)
  if (user.length > longestUser) throw new Error(`a user longer than ${longestUser} characters`)
  if (!nameShape.test(user)) throw new Error('a user without a proper name')
  return user
}

function readAttributes(attributes: XmlElement): Map<string, string[]> {
  const elements = childrenOf(attributes)
  if (elements.length > mostValues) throw new Error(`more than ${mostValues} attribute values`)
  const found = new Map<string, string[]>()
  for (const element of elements) {
    if (element.uri !== namespace) throw new Error('an attribute of another namespace')
    const value = textOf(element)
    if (value.length > longestValue) throw new Error('an attribute value that is too long')
    found.set(element.name, [...(found.get(element.name) ?? []), value])
  }
  return found
}

const named = (elements: readonly XmlElement[], name: string) =>
  elements.filter((element) => element.name === name)

function requireName(element: XmlElement, name: string): void {
  if (element.uri !== namespace || element.name !== name) throw new Error(`no ${name}`)
}

/** The children of an element without text. */
function childrenOf({ children, text, hasCdata }: XmlElement): readonly XmlElement[] {
  if (hasCdata || /[^ \t\r\n]/.test(text)) throw new Error('text between elements')
  return children
}

/** The text of an element without children. */
function textOf({ children, text }: XmlElement): string {
  if (children.length > 0) throw new Error('elements in a text')
  return text.trim()
}
