import type { IdentityProviderDto } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { kindOperations, type AnyEntity, type Kind } from '../../api/kind-operations.ts'
import { createEntity, updateEntity, type Values } from '../../api/entities.ts'
import { isShownByFields, problemsOf } from '../../form/field-problems.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useSession } from '../../session/use-session.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { showToast } from '../../ui/show-toast.ts'
import { ProviderFormDialog } from '../identity-providers/provider-form-dialog.tsx'
import { fieldsOf, startValues, toChanges, toNew, type FormValues } from './form-values.ts'
import { EntityField } from './entity-field.tsx'

interface Props {
  readonly kind: Kind
  /** Undefined to create a new one. */
  readonly entity?: AnyEntity
  readonly isServiceAccount?: boolean
  readonly onClose: () => void
}

/** The create and edit form of all kinds. */
export function EntityFormDialog(props: Props) {
  const { kind, entity, onClose } = props
  return kind === 'identity_providers' ? (
    <ProviderFormDialog
      onClose={onClose}
      {...(entity && { provider: entity as IdentityProviderDto })}
    />
  ) : (
    <FieldsDialog {...props} />
  )
}

/** The form of a kind whose fields are always the same. */
function FieldsDialog({ kind, entity, isServiceAccount = false, onClose }: Props) {
  const t = useAllMessages()
  const { key } = kindOperations[kind]
  const { scope } = useSession()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const fields = fieldsOf(kind, isServiceAccount).filter(({ once }) => !(once && entity))
  const [before] = useState(() =>
    startValues(fields, entity, {
      domain_id: scope.domain.id,
      ...(scope.kind === 'project' && { project_id: scope.id }),
      scope: 'project',
    }),
  )
  const [values, setValues] = useState<FormValues>(before)
  const changes = entity ? toChanges(fields, before, values) : toNew(fields, values)
  const save = useMutation({
    mutationFn: (body: Values) =>
      entity
        ? updateEntity(kind, entity.id, body)
        : createEntity(kind, { ...body, ...(isServiceAccount && { service_account: true }) }),
    async onSuccess(saved) {
      await queryClient.invalidateQueries({ queryKey: [kind] })
      showToast(entity ? t.identity.saved(saved.name) : t.identity.created(saved.name))
      onClose()
      if (!entity) void navigate({ to: '/identity/$kind/$id', params: { kind, id: saved.id } })
    },
  })
  const problems = problemsOf(save.error, key)
  const names = fields.map(({ name }) => name)
  const action = isServiceAccount ? t.identity.createServiceAccount : t.identity.create[kind]
  return (
    <FormDialog
      title={entity ? t.identity.edit[kind] : action}
      submit={entity ? t.common.save : action}
      onSubmit={() => changes && save.mutate(changes)}
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      isShownByFields={isShownByFields(save.error, key, names)}
      wide={kind === 'policies'}
      twoColumns={kind === 'users'}
      disabledReason={changes ? undefined : t.identity.nothingChanged}
    >
      {fields.map((field) => (
        <EntityField
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          onChange={(value) => setValues((now) => ({ ...now, [field.name]: value }))}
          problems={problems}
        />
      ))}
    </FormDialog>
  )
}
