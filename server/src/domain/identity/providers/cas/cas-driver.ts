import { randomBytes } from 'node:crypto'
import { badField, loginFailed } from '../../../error.ts'
import {
  OptionError,
  type CredentialDriver,
  type DriverDependencies,
} from '../../provider-driver.ts'
import { attributesOf } from '../attributes-of.ts'
import { parseCasResponse, refusalCode } from './parse-cas-response.ts'

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

const ownCallback = /\/api\/session\/providers\/[^/]+\/callback$/

/** Long enough for any CAS server, and without characters that have a meaning in a query. */
const serviceTicket = /^ST-[A-Za-z0-9._-]{1,252}$/

export const isServiceTicket = (text: string): boolean => serviceTicket.test(text)

/** Central Authentication Service, versions 2 and 3. */
export function createCasDriver({ send }: Pick<DriverDependencies, 'send'>): CredentialDriver {
  async function askServer(options: CasOptions, ticket: string, deadline?: number) {
    try {
      const { ca } = options
      const address = validationAddress(options, ticket)
      return await send(address, { ...(ca !== '' && { ca }), deadline })
    } catch (error) {
      throw loginFailed(`CAS: ${(error as Error).message}`)
    }
  }

  return {
    names: ['cas', 'cas_ticket'],
    section: 'cas_ticket',
    label: 'CAS',
    title: 'CAS',
    description: 'People log in on pages of a CAS server.',
    options: {
      url: {
        kind: 'server',
        description: 'Address of the CAS server, such as https://cas.example.org/cas',
        isTrusted: true,
      },
      service_url: {
        kind: 'page',
        description: 'Address to which the CAS server sends browsers back, as the server knows it',
        isTrusted: true,
      },
      protocol: {
        kind: 'choice',
        description: 'Version of the CAS protocol',
        choices: [2, 3],
        default: 3,
      },
      ca: {
        kind: 'certificates',
        description: 'Certificate authority of the server in PEM. Empty: the public authorities.',
        default: '',
        isTrusted: true,
      },
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

    async verify(options, { secret: ticket }, deadline) {
      const { status, text } = await askServer(options as CasOptions, ticket, deadline)
      if (status !== 200) throw loginFailed(`CAS: answered with status ${status}`)
      return parseCasResponse(text)
    },

    async test(options, check, deadline) {
      await check('ticket_validation', 'url', async () => {
        // Nobody has this ticket, so the server must refuse it.
        const ticket = `ST-${randomBytes(12).toString('hex')}`
        const { status, text } = await askServer(options as CasOptions, ticket, deadline)
        if (status !== 200) throw new Error(`the server answers with status ${status}`)
        const code = readRefusal(text)
        if (code === undefined) throw new Error('the server accepts a ticket that nobody has')
        if (/SERVICE/.test(code)) {
          throw new OptionError(
            'service_url',
            `the server does not accept the service_url: ${code}`,
          )
        }
        return { found: `the server checks tickets (${code})`, value: undefined }
      })
    },

    readClaims(_, { user, ...claims }) {
      if (typeof user !== 'string' || user === '') throw new Error('user must be a text')
      // As in the response of a server, where blanks around a value mean nothing.
      const attributes = [...attributesOf(claims)].map(
        ([name, values]) => [name, values.map((value) => value.trim())] as const,
      )
      return { subject: user, attributes: new Map(attributes) }
    },

    browserLogin: {
      // CAS has no `state`: the cookie of the attempt alone tells that this browser began it.
      async begin(options) {
        const { url, service_url: service } = options as CasOptions
        return { address: `${url}/login?service=${encodeURIComponent(service)}`, remembered: {} }
      },
      usesSharedCallback: ({ service_url: service }) =>
        !ownCallback.test(new URL(String(service)).pathname),
      readAnswer(query, { providerId }) {
        const id = query.get('ticket')
        return id === null
          ? undefined
          : { methods: ['cas'], cas_ticket: { id, provider: providerId } }
      },
    },
  }
}

function readRefusal(text: string): string | undefined {
  try {
    return refusalCode(text)
  } catch (error) {
    throw new Error(`the server does not answer in CAS: ${(error as Error).message}`, {
      cause: error,
    })
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
