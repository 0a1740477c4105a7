import type { Token, TokenRequest } from '@muster/contract'
import { loginFailed } from '../error.ts'
import type { DescribeToken } from './describe-token.ts'
import { chooseMethod } from './methods/choose-method.ts'
import type { Method, Proof } from './methods/method.ts'
import type { Clock, TokenStore } from './ports.ts'
import { createPrincipal } from './principal.ts'
import type { Origin, Standing, TokenRecord } from './records.ts'
import { grantScope, keepScope, readScope, scopeKey } from './scope.ts'
import type { FindStanding } from './standings.ts'
import { mintToken } from './token-secret.ts'

const sources: ReadonlySet<string> = new Set(['web', 'api', 'cli', 'srv'])

interface Dependencies {
  readonly methods: readonly Method[]
  readonly findStanding: FindStanding
  readonly tokens: TokenStore
  readonly describeToken: DescribeToken
  readonly clock: Clock
  /** Milliseconds. */
  readonly lifetime: number
}

export interface IssuedToken {
  /** Shown to the caller once, kept nowhere. */
  readonly secret: string
  readonly token: Token
}

/** From a credential to a token. This is the only place that knows the order of the steps. */
export function createIssueToken(dependencies: Dependencies) {
  const { methods, findStanding, tokens, describeToken, clock, lifetime } = dependencies

  const endOf = (issuedAt: number, proof: Proof, { user }: Standing) =>
    Math.min(issuedAt + lifetime, proof.expiresAt ?? Infinity, user.expiresAt ?? Infinity)

  return async function issueToken({ auth }: TokenRequest, origin: Origin): Promise<IssuedToken> {
    const wish = readScope(auth.scope)
    const method = chooseMethod(methods, auth.identity)
    const proof = await method.authenticate(auth.identity, origin)
    const standing = await findStanding(proof.userId)
    if (!standing) throw loginFailed('account disabled, ended or gone')
    const scope = proof.scope ? keepScope(proof.scope, wish, standing) : grantScope(wish, standing)

    const { secret, id } = mintToken()
    const issuedAt = clock()
    const source = auth.context?.source ?? ''
    const record: TokenRecord = {
      id,
      userId: standing.user.id,
      scope: scopeKey(scope),
      method: method.names[0],
      parentId: proof.parent?.id ?? null,
      generation: proof.parent ? proof.parent.generation + 1 : 0,
      issuedAt,
      expiresAt: endOf(issuedAt, proof, standing),
      ip: origin.ip,
      source: sources.has(source) ? source : 'api',
      accessKey: proof.accessKey ?? null,
    }
    if (!(await tokens.insert(record, proof))) throw loginFailed('changed meanwhile')
    return { secret, token: describeToken(createPrincipal(record, standing, scope)) }
  }
}
export type IssueToken = ReturnType<typeof createIssueToken>
