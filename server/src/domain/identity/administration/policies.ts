import { requireCanGrant, requireCanRevoke } from './authority.ts'
import { createWriteUseCases, type WriteContext } from './write-resources.ts'

/** Policies belong to no scope, so changing one takes permissions on the whole system. */
const anywhere = { kind: 'system' } as const

/** Policies. Adding an allow rule grants a permission, and so does removing a deny rule. */
export const createPolicyUseCases = (context: WriteContext) =>
  createWriteUseCases('policies', context, {
    create: ({ principal }, policy) =>
      requireCanGrant(principal, anywhere, [policy], 'make this policy'),
    update({ principal }, { before, after }) {
      if (before.enabled !== after.enabled || before.rules !== after.rules) {
        requireCanGrant(principal, anywhere, [after], 'change this policy in this way')
        requireCanRevoke(principal, anywhere, [before], 'change this policy in this way')
      }
      return undefined
    },
    delete({ principal }, policy) {
      requireCanRevoke(principal, anywhere, [policy], 'delete this policy')
      return undefined
    },
  })
