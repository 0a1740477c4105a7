import { badField, loginFailed } from '../../../error.ts'
import type {
  CredentialDriver,
  DriverDependencies,
  ExternalIdentity,
} from '../../provider-driver.ts'
import { compactToken } from '../oidc/oidc-driver.ts'
import type { OidcFlow } from '../oidc/oidc-flow.ts'
import { readPerson } from '../oidc/read-person.ts'
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
const noClient = { client_id: 'no client', client_secret: '', scopes: '', device_client_id: '' }

const path = (name: string) => `auth.identity.credential.${name}`

function requireSubject(workload: ExternalIdentity, subjects: string): ExternalIdentity {
  if (matchesSubject(subjects, workload.subject)) return workload
  throw loginFailed('workload: the subject is not one of the provider')
}

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
    title: 'Workloads',
    description: 'Programs log in with the token that they have in Kubernetes, GitHub or GitLab.',
    options: {
      // Subjects are unique within an issuer only.
      issuer: {
        kind: 'server',
        description: 'Who signs the tokens, such as https://token.actions.githubusercontent.com',
        isTrusted: true,
        isFixed: true,
      },
      audience: { kind: 'text', description: 'Audience of tokens for Muster', isTrusted: true },
      subjects: {
        kind: 'subjects',
        description:
          'Subjects that may log in, separated by blanks, such as repo:acme/web:ref:refs/heads/main. A * stands for any characters but : and /.',
        isTrusted: true,
      },
      name_claim: {
        kind: 'text',
        description: 'Claim with the name of a new user',
        default: 'sub',
      },
      create_users: {
        kind: 'boolean',
        description:
          'Whether the first login creates a user. Otherwise only subjects that have logged in before, or are linked, can log in.',
        default: true,
      },
      ca: {
        kind: 'certificates',
        description: 'Certificate authority of the issuer in PEM. Empty: the public authorities.',
        default: '',
        isTrusted: true,
      },
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
      const workload = await (await load()).verifyToken(trusted, secret, deadline)
      const { saidAt = 0, expiresAt = 0 } = workload
      const end = Math.min(expiresAt, saidAt + longestLogin)
      return { ...requireSubject(workload, subjects), expiresAt: end }
    },

    async test(options, check, deadline) {
      const { issuer, audience, ca } = options as WorkloadOptions
      const trusted = { issuer, audience, ca, name_claim: '', ...noClient }
      await (await load()).testIssuer(trusted, check, deadline)
    },

    readClaims(options, claims) {
      const { subjects, name_claim } = options as WorkloadOptions
      return requireSubject(readPerson(claims, name_claim), subjects)
    },
  }
}
