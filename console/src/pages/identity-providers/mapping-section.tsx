import type { IdentityProviderDto } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { updateEntity } from '../../api/entities.ts'
import { problemsOf } from '../../form/field-problems.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { usePermission } from '../../session/use-permission.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Nothing, Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { UnsavedChangesDialog } from '../accounts/unsaved-changes-dialog.tsx'
import { useChoices } from '../identity/use-choices.ts'
import styles from './identity-providers.module.css'
import { LoginPreviewForm } from './login-preview-form.tsx'
import { addDraft, draftsOf, isComplete, mappingOf, type Draft } from './mapping-drafts.ts'
import { MappingRule } from './mapping-rule.tsx'
import type { Driver } from './option-values.ts'

interface Props {
  readonly provider: IdentityProviderDto
  readonly driver: Driver
}

/** The mapping of a provider to roles, with a preview beside it. */
export function MappingSection({ provider, driver }: Props) {
  const t = useAllMessages()
  const queryClient = useQueryClient()
  const canUpdate = usePermission('updateIdentityProvider')
  const [roles, projects, domains] = [
    useChoices('roles'),
    useChoices('projects'),
    useChoices('domains'),
  ]
  /** Undefined until the user edits: then the stored rules are shown. */
  const [edited, edit] = useState<readonly Draft[]>()
  const drafts = edited ?? draftsOf(provider.mapping)
  const mapping = mappingOf(drafts)
  const isDirty = JSON.stringify(mapping) !== JSON.stringify(provider.mapping)
  const save = useMutation({
    mutationFn: () => updateEntity('identity_providers', provider.id, { mapping }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['identity_providers'] })
      edit(undefined)
      showToast(t.providers.mappingSaved)
    },
  })
  const preview = useMutation({
    mutationFn: async (person: { claims: Record<string, unknown> } | { login_name: string }) => {
      const body = { ...person, mapping }
      const { preview: shown } = await api.previewIdentityProviderMapping({
        parameters: { id: provider.id },
        body,
      })
      return { of: JSON.stringify(mapping), preview: shown }
    },
  })
  const ofSaving = problemsOf(save.error, 'identity_provider', 2)
  const ofPreview = problemsOf(preview.error, 'mapping', 1)
  const titleOf = (at: number) => t.accounts.rule(String(at + 1))
  const problemOf = (at: number) => {
    const problem = ofSaving[`mapping.${at}`] ?? ofPreview[String(at)]
    return problem === undefined ? undefined : t.identity.problem(titleOf(at), problem)
  }
  const incomplete = drafts.every(isComplete) ? undefined : t.providers.incomplete
  return (
    <Section title={t.providers.mapping} lead={t.providers.mappingLead}>
      <div className={styles.columns}>
        <div className={styles.rules}>
          {drafts.length === 0 && <Nothing>{t.providers.noRules}</Nothing>}
          {drafts.map((draft, at) => (
            <MappingRule
              key={draft.key}
              draft={draft}
              title={titleOf(at)}
              problem={problemOf(at)}
              roles={roles}
              projects={projects}
              domains={domains}
              disabledReason={canUpdate.reason}
              onChange={(changed) =>
                edit(drafts.map((each) => (each.key === changed.key ? changed : each)))
              }
              onRemove={() => edit(drafts.filter(({ key }) => key !== draft.key))}
            />
          ))}
          <div className={styles.buttons}>
            <Button
              icon="plus"
              disabledReason={canUpdate.reason}
              onClick={() => edit(addDraft(drafts, driver.driver === 'cas' ? '' : 'groups'))}
            >
              {t.identity.addRule}
            </Button>
            <Button
              look="primary"
              busy={save.isPending}
              disabledReason={
                canUpdate.reason ?? (isDirty ? incomplete : t.identity.nothingChanged)
              }
              onClick={() => save.mutate()}
            >
              {t.providers.saveMapping}
            </Button>
            {isDirty && (
              <Button look="quiet" onClick={() => edit(undefined)}>
                {t.accounts.undoRules}
              </Button>
            )}
          </div>
          {save.isError && <ErrorNotice error={save.error} />}
        </div>
        <LoginPreviewForm
          driver={driver}
          preview={preview.data?.preview}
          isOutdated={preview.data?.of !== JSON.stringify(mapping)}
          busy={preview.isPending}
          error={preview.error}
          disabledReason={canUpdate.reason ?? incomplete}
          onPreview={preview.mutate}
        />
      </div>
      <UnsavedChangesDialog isDirty={isDirty} />
    </Section>
  )
}
