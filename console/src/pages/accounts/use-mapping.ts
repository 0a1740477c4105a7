import { isApiError } from '@muster/sdk'
import type { CloudAccount, MappingPreview } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { showToast } from '../../ui/show-toast.ts'
import { cacheAccount } from '../../servers/cache-account.ts'
import {
  checkRules,
  draftsOf,
  isSameMapping,
  mappingOf,
  ruleProblemsFrom,
  type DraftRule,
  type RuleProblem,
} from './mapping-rules.ts'

type Drafts = readonly DraftRule[]

interface Previewed {
  readonly of: Drafts
  readonly preview: MappingPreview
}

/** The state of the mapping editor: edit, preview, save. */
export function useMapping(account: CloudAccount) {
  const t = useMessages()
  const { id, mapping } = account
  /** Undefined until the user edits: then the stored rules are shown. */
  const [edited, setEdited] = useState<Drafts>()
  const [problems, setProblems] = useState<ReadonlyMap<number, RuleProblem>>(new Map())
  const drafts = edited ?? draftsOf(mapping)

  const preview = useMutation({
    mutationFn: async (of: Drafts): Promise<Previewed> => {
      const body = { mapping: mappingOf(of) }
      const { preview } = await api.previewCloudAccountMapping({ parameters: { id }, body })
      return { of, preview }
    },
    onError: (error, of) => showProblems(error, of),
  })
  const save = useMutation({
    mutationFn: (of: Drafts) =>
      api.updateCloudAccount({
        parameters: { id },
        body: { cloudaccount: { mapping: mappingOf(of) } },
      }),
    onSuccess({ cloudaccount }) {
      cacheAccount(cloudaccount)
      setEdited(undefined)
      preview.reset()
      showToast(t.accounts.rulesSaved)
      void queryClient.invalidateQueries({ queryKey: ['servers'] })
    },
    onError: (error, of) => showProblems(error, of),
  })

  function showProblems(error: unknown, of: Drafts): void {
    if (isApiError(error)) setProblems(ruleProblemsFrom(error.fields, of))
  }
  function passes(): boolean {
    const found = checkRules(drafts)
    setProblems(found)
    return found.size === 0
  }

  return {
    drafts,
    problems,
    preview,
    save,
    isDirty: edited !== undefined && !isSameMapping(mappingOf(edited), mapping),
    /** Whether the preview matches the current rules. */
    isPreviewed: preview.data !== undefined && preview.data.of === edited,
    edit(next: Drafts): void {
      setEdited(next)
      setProblems(new Map())
    },
    undo(): void {
      setEdited(undefined)
      setProblems(new Map())
      preview.reset()
    },
    look(): void {
      // Store the drafts, to compare them with the preview later.
      setEdited(drafts)
      if (passes()) preview.mutate(drafts)
    },
    saveNow(): void {
      if (passes()) save.mutate(drafts)
    },
  }
}
