import type { CloudAccount, CloudProvider } from '@muster/contract'
import { useState } from 'react'
import { checkAccount, checkSettings, problemsFrom, type Problems } from './account-problems.ts'
import {
  areSame,
  emptyValues,
  valuesOf,
  wayToTest,
  type AccountValues,
  type Settings,
} from './account-values.ts'
import { useAccountTest } from './use-account-test.ts'
import { useSaveAccount } from './use-save-account.ts'

interface Options {
  readonly provider: CloudProvider
  /** Undefined for a new account. */
  readonly account?: CloudAccount | undefined
  readonly onSaved: (account: CloudAccount) => void
}

/** Why the test of these settings failed: what the source says, or an error of the request. */
function findFailure(
  { data, error, variables }: ReturnType<typeof useAccountTest>,
  settings: Settings,
): { readonly text: string } | { readonly error: unknown } | undefined {
  if (variables !== settings) return undefined
  if (error !== null) return { error }
  return data && !data.test.ok ? { text: data.test.error } : undefined
}

/** A failed test, or the last sync, is shown beside the field that its error is about. */
const problemOf = (
  kind: 'test' | 'sync',
  result: { error: string; error_field: string } | undefined,
): Problems =>
  result && result.error_field !== '' ? { [result.error_field]: { kind, text: result.error } } : {}

/** The state and actions of the account form. Input survives errors. */
export function useAccountForm({ provider, account, onSaved }: Options) {
  const [start, setStart] = useState(() =>
    account ? valuesOf(provider, account) : emptyValues(provider),
  )
  const [values, setValues] = useState(start)
  const [problems, setProblems] = useState<Problems>({})
  const [isAsking, setAsking] = useState(false)
  const isExisting = account !== undefined
  const test = useAccountTest(provider, start.settings, account)
  const save = useSaveAccount(provider, account && { id: account.id, start }, (saved) => {
    const fresh = valuesOf(provider, saved)
    setStart(fresh)
    setValues(fresh)
    onSaved(saved)
  })

  const showProblems = (error: unknown) => setProblems(problemsFrom(error))
  /** Whether validation passes. Otherwise the fields show the errors. */
  const passes = (found: Problems): boolean => {
    setProblems(found)
    return Object.keys(found).length === 0
  }

  const { settings } = values
  const isTried = test.data?.of === settings
  const failure = findFailure(test, settings)
  const way = isExisting ? wayToTest(provider, start.settings, settings) : 'typed'

  const change = (change: Partial<AccountValues>): void => setValues({ ...values, ...change })

  function submitNow(): void {
    setAsking(false)
    save.mutate(values, { onError: showProblems })
  }

  return {
    values,
    /** What was found wrong when the form was sent. */
    found: problems,
    problems: {
      ...(settings === start.settings && !isTried && problemOf('sync', account?.sync)),
      ...problems,
      ...(isTried && problemOf('test', test.data?.test)),
    },
    test,
    save,
    isExisting,
    isDirty: !areSame(values, start),
    isAsking,
    failure,
    needsSecrets: way === 'secret',
    change,
    stopAsking: () => setAsking(false),
    submitNow,
    tryNow(): void {
      setAsking(false)
      if (passes(checkSettings(provider, settings, isExisting))) {
        test.mutate(settings, { onError: showProblems })
      }
    },
    submit(): void {
      if (!passes(checkAccount(provider, values, isExisting))) return
      const isSure = way === 'stored' || (isTried && test.data?.test.ok)
      if (isSure) submitNow()
      else setAsking(true)
    },
  }
}
