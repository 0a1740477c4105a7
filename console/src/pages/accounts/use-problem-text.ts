import { useMessages } from '../../messages/use-messages.ts'
import type { Problems } from './account-problems.ts'

/** The error text of a field; undefined if it is valid. */
export function useProblemText(problems: Problems) {
  const t = useMessages()
  return (path: string, label: string): string | undefined => {
    const problem = problems[path]
    if (!problem) return undefined
    if (problem.kind === 'api') return t.accounts.fieldProblem(label, problem.text)
    if (problem.kind === 'test') return t.accounts.testFailedBecause(problem.text)
    if (problem.kind === 'sync') return t.accounts.syncFailedBecause(problem.text)
    return {
      required: t.accounts.required,
      integer: t.accounts.integer,
      period: t.accounts.periodWrong,
      maxActions: t.accounts.maxActionsWrong,
      requestTimeout: t.accounts.requestTimeoutWrong,
    }[problem.kind]
  }
}
