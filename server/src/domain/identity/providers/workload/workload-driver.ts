import { badField, loginFailed } from '../../../error.ts'
import type { CredentialDriver, DriverDependencies } from '../../provider-driver.ts'
import type { OidcFlow } from '../oidc/oidc-flow.ts'
import { compactToken } from '../oidc/oidc-driver.ts'
import { matchesSubject } from './subject-patterns.ts'

type WorkloadOptions = {
  readonly issuer: string
  readonly audience: string
  /** Separated by blanks. */
  readonly subjects: string
  readonly name_claim: string
  readonly ca: string
}

/** Milliseconds after the issue of a token at which those of Muster end. */
const longestLogin = 3_600_000

/** Workloads have no client of their issuer, and openid-client wants one that is not empty. */
const noClient = { client_id: 'no client', client_secret: '', scopes: '' }

const path = (name: string) => `auth.identity.credential.${name}`

/** Programs with tokens of where they run, such as Kubernetes, GitHub or GitLab. Nothing secret is stored. */
export function createWorkloadDriver({ send }: Pick<DriverDependencies, 'send'>): CredentialDriver {
  let flow: Promise<OidcFlow> | undefined

  /** Loaded at the first login, because most installations have no such provider. */
  const load = (): Promise<OidcFlow> =>
    (flow ??= import('../oidc/oidc-flow.ts').then(({ createOidcFlow }) => createOidcFlow(send)))

  return {
    names: ['workload'],
    section: 'credential',
    label: 'workload',
    options: {
      // Subjects are unique within an issuer only.
      issuer: { kind: 'server', isTrusted: true, isFixed: true },
      audience: { kind: 'text', isTrusted: true },
      subjects: { kind: 'subjects', isTrusted: true },
      name_claim: { kind: 'text', default: 'sub' },
      create_users: { kind: 'boolean', default: true },
      ca: { kind: 'certificates', default: '', isTrusted: true },
    },

    readCredential({ credential = {} }) {
      const { provider: providerId, token, ...others } = credential
      const [stray] = Object.keys(others)
      if (stray !== undefined) throw badField(path(stray), 'is not a key of this credential')
      if (token === undefined) throw badField(path('token'), 'is required', 'MissingParameterError')
      if (!compactToken.test(token)) throw badField(path('token'), 'must be a signed JWT')
      // The same signature can be written in several ways, so what is signed tells tokens apart.
      return { secret: token, identity: token.slice(0, token.lastIndexOf('.')), providerId }
    },

    async verify(options, { secret }, deadline) {
      const { issuer, audience, subjects, name_claim, ca } = options as WorkloadOptions
      const trusted = { issuer, audience, name_claim, ca, ...noClient }
      const { session: _, ...workload } = await (
        await load()
      ).verifyToken(trusted, secret, deadline)
      if (!matchesSubject(subjects, workload.subject)) {
        throw loginFailed('workload: the subject is not one of the provider')
      }
      const { saidAt = 0, expiresAt = 0 } = workload
      return { ...workload, expiresAt: Math.min(expiresAt, saidAt + longestLogin) }
    },
  }
}
