import type { IdentityProviderDto } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createEntity, updateEntity } from '../../api/entities.ts'
import { isShownByFields, problemsOf } from '../../form/field-problems.ts'
import { FormDialog, wideField } from '../../form/form-dialog.tsx'
import { useAllMessages } from '../../messages/use-messages.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useSession } from '../../session/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { fieldLabel } from '../accounts/field-label.ts'
import { useChoices } from '../identity/use-choices.ts'
import { DriverOptionField } from './driver-option-field.tsx'
import styles from './identity-providers.module.css'
import { changedOptions, startTexts, type Driver, type OptionTexts } from './option-values.ts'
import { ProviderChecks } from './provider-checks.tsx'
import { useDrivers } from './use-drivers.ts'
import { useProviderTest } from './use-provider-test.ts'

const key = 'identity_provider'

interface Props {
  /** Undefined to attach a new one. */
  readonly provider?: IdentityProviderDto
  readonly onClose: () => void
}

/** The form of an identity provider, which follows from the description of its driver. */
export function ProviderFormDialog({ provider, onClose }: Props) {
  const { query, drivers } = useDrivers()
  const [chosen, choose] = useState(provider?.driver ?? 'oidc')
  const driver = drivers.find((each) => each.driver === chosen) ?? drivers[0]
  if (!driver) return <QueryView query={query}>{() => null}</QueryView>
  return (
    <DriverForm
      key={driver.driver}
      driver={driver}
      drivers={drivers}
      onDriver={choose}
      provider={provider}
      onClose={onClose}
    />
  )
}

interface FormProps {
  readonly driver: Driver
  readonly drivers: readonly Driver[]
  readonly onDriver: (driver: string) => void
  readonly provider: IdentityProviderDto | undefined
  readonly onClose: () => void
}

function useSave({ driver, provider, onClose }: FormProps) {
  const t = useAllMessages()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const kind = 'identity_providers'
  return useMutation({
    gcTime: 0,
    mutationFn: ({ domain_id, ...body }: Readonly<Record<string, unknown>>) =>
      provider
        ? updateEntity(kind, provider.id, body)
        : createEntity(kind, { ...body, domain_id, driver: driver.driver }),
    async onSuccess(saved) {
      await queryClient.invalidateQueries({ queryKey: [kind] })
      showToast(provider ? t.identity.saved(saved.name) : t.identity.created(saved.name))
      onClose()
      if (!provider) void navigate({ to: '/identity/$kind/$id', params: { kind, id: saved.id } })
    },
  })
}

function DriverForm(props: FormProps) {
  const { driver, drivers, provider, onDriver, onClose } = props
  const t = useAllMessages()
  const { scope } = useSession()
  const domains = useChoices('domains')
  const [before] = useState(() => startTexts(driver, provider?.options))
  const [texts, setTexts] = useState<OptionTexts>(before)
  const [name, setName] = useState(provider?.name ?? '')
  const [domainId, setDomainId] = useState(provider?.domain_id ?? scope.domain.id)
  const options = changedOptions(driver, before, texts)
  const save = useSave(props)
  const trial = useProviderTest(driver.driver, provider)
  const canTest = usePermission(provider ? 'testIdentityProvider' : 'testNewIdentityProvider')
  const isOutdated = JSON.stringify(trial.data?.of) !== JSON.stringify(options)
  const found = Object.fromEntries(
    (isOutdated ? [] : (trial.data?.test.checks ?? []))
      .filter(({ ok }) => !ok)
      .map(({ option, text }) => [`options.${option}`, text]),
  )
  const problems = {
    ...found,
    ...problemsOf(trial.error, key, 2),
    ...problemsOf(save.error, key, 2),
  }
  const errorOf = (path: string, label: string) =>
    problems[path] === undefined ? undefined : t.identity.problem(label, problems[path])
  const names = ['name', 'domain_id', ...driver.options.map((field) => `options.${field.name}`)]
  function type(option: string, text: string): void {
    setTexts((now) => ({ ...now, [option]: text }))
    // They were about other texts.
    save.reset()
    if (trial.isError) trial.reset()
  }
  const isUnchanged = provider?.name === name && Object.keys(options).length === 0
  const fields = driver.options.filter(({ fixed }) => !(fixed && provider))
  return (
    <FormDialog
      title={provider ? t.identity.edit.identity_providers : t.identity.create.identity_providers}
      submit={provider ? t.common.save : t.identity.create.identity_providers}
      onSubmit={() => save.mutate({ name, domain_id: domainId, options })}
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      isShownByFields={isShownByFields(save.error, key, names)}
      twoColumns
      disabledReason={isUnchanged ? t.identity.nothingChanged : undefined}
    >
      {!provider && (
        <SelectField
          label={t.identity.fields.driver}
          hint={driver.description}
          name="driver"
          value={driver.driver}
          onChange={(event) => onDriver(event.target.value)}
        >
          {drivers.map((each) => (
            <option key={each.driver} value={each.driver}>
              {each.title}
            </option>
          ))}
        </SelectField>
      )}
      <TextField
        label={t.identity.fields.name}
        hint={t.providers.nameHint}
        name="name"
        required
        value={name}
        error={errorOf('name', t.identity.fields.name)}
        onChange={(event) => setName(event.target.value)}
      />
      {!provider && (
        <SelectField
          label={t.identity.fields.domain_id}
          hint={t.providers.domainHint}
          name="domain_id"
          value={domainId}
          error={errorOf('domain_id', t.identity.fields.domain_id)}
          onChange={(event) => setDomainId(event.target.value)}
        >
          {domains.map(({ id, name: domain }) => (
            <option key={id} value={id}>
              {domain}
            </option>
          ))}
        </SelectField>
      )}
      {fields.map((field) => {
        const label = fieldLabel(field.name, t.providers.optionNames)
        return (
          <DriverOptionField
            key={field.name}
            field={field}
            label={label}
            error={errorOf(`options.${field.name}`, label)}
            isExisting={provider !== undefined}
            value={texts[field.name] ?? ''}
            onChange={(text) => type(field.name, text)}
          />
        )
      })}
      <div className={`${wideField} ${styles.test}`}>
        <p className={styles.soft}>{t.providers.testLead}</p>
        <Button
          busy={trial.isPending}
          disabledReason={canTest.reason}
          onClick={() => trial.mutate(options)}
        >
          {t.accounts.test}
        </Button>
        {trial.isError && !isShownByFields(trial.error, key, names) && (
          <ErrorNotice error={trial.error} />
        )}
        {trial.data && <ProviderChecks test={trial.data.test} isOutdated={isOutdated} />}
      </div>
    </FormDialog>
  )
}
