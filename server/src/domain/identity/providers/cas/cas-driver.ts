import { definedFields } from '../../../audit/field-diff.ts'
import { badField, loginFailed } from '../../../error.ts'
import { certificatesProblem } from '../../../pem.ts'
import type { CheckAddress, DriverDependencies, ProviderDriver } from '../../provider-driver.ts'
import { parseCasResponse } from './parse-cas-response.ts'

type CasOptions = {
  /** The address that the protocol's paths are appended to. */
  readonly url: string
  /** The address that tickets are issued for. It is configured, never taken from a request. */
  readonly service_url: string
  readonly protocol: 2 | 3
  /** The certificate authority as PEM; empty for the ones that the system trusts. */
  readonly ca: string
}

const paths = { 2: '/serviceValidate', 3: '/p3/serviceValidate' } as const

/** Long enough for any CAS server, and without characters that have a meaning in a query. */
const serviceTicket = /^ST-[A-Za-z0-9._-]{1,252}$/

export const isServiceTicket = (text: string): boolean => serviceTicket.test(text)

/** Central Authentication Service, versions 2 and 3. */
export function createCasDriver({ get, checkAddress }: DriverDependencies): ProviderDriver {
  async function askServer(options: CasOptions, ticket: string, deadline?: number) {
    try {
      const { ca } = options
      const address = validationAddress(options, ticket)
      return await get(address, { ...(ca !== '' && { ca }), deadline })
    } catch (error) {
      throw loginFailed(`CAS: ${(error as Error).message}`)
    }
  }

  return {
    names: ['cas', 'cas_ticket'],
    section: 'cas_ticket',
    label: 'CAS',
    trustOptions: ['url', 'service_url', 'ca'],

    readOptions(request, before) {
      const { url, service_url, protocol, ca } = request as Partial<CasOptions>
      if (url !== undefined) requireServerAddress(url, checkAddress)
      if (service_url !== undefined) readAddress(service_url, 'identity_provider.service_url')
      if (ca !== undefined) requireCertificate(ca)
      const given = definedFields({ url, service_url, protocol, ca })
      return { protocol: 3, ca: '', ...before, ...given }
    },

    readCredential({ cas_ticket: section }) {
      if (!section) {
        throw badField('auth.identity.cas_ticket', 'is required', 'MissingParameterError')
      }
      if (!isServiceTicket(section.id)) {
        throw badField('auth.identity.cas_ticket.id', 'is not a CAS service ticket')
      }
      return { secret: section.id, providerId: section.provider }
    },

    async verify(options, ticket, deadline) {
      const { status, text } = await askServer(options as CasOptions, ticket, deadline)
      if (status !== 200) throw loginFailed(`CAS: answered with status ${status}`)
      return parseCasResponse(text)
    },
  }
}

function validationAddress(
  { url, protocol, service_url: service }: CasOptions,
  ticket: string,
): URL {
  const address = new URL(url)
  address.pathname = address.pathname.replace(/(?<!\/)\/+$/, '') + paths[protocol]
  address.search = new URLSearchParams({ service, ticket }).toString()
  return address
}

function requireServerAddress(url: string, checkAddress: CheckAddress): void {
  const address = readAddress(url, 'identity_provider.url')
  if (address.protocol !== 'https:') throw badField('identity_provider.url', 'must be an HTTPS URL')
  if (address.search !== '') throw badField('identity_provider.url', 'must not have a query')
  const refusal = checkAddress(address)
  if (refusal !== undefined) throw badField('identity_provider.url', refusal)
}

function readAddress(text: string, field: string): URL {
  const address = URL.parse(text)
  if (!address || !['http:', 'https:'].includes(address.protocol)) {
    throw badField(field, 'must be a URL')
  }
  if (address.username !== '' || address.password !== '') {
    throw badField(field, 'must not contain a user name or password')
  }
  if (address.hash !== '') throw badField(field, 'must not have a fragment')
  return address
}

function requireCertificate(ca: string): void {
  const problem = ca === '' ? undefined : certificatesProblem(ca)
  if (problem !== undefined) throw badField('identity_provider.ca', problem)
}
