import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { factorsQuery } from '../../api/queries/factors.ts'
import { wrongOr } from '../../api/wrong-or.ts'
import { isShownByFields, problemsOf } from '../../form/field-problems.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { PasscodeField } from '../../form/passcode-field.tsx'
import { useAllMessages } from '../../messages/use-messages.ts'
import { useSession } from '../../session/use-session.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { TextField } from '../../ui/field.tsx'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { QrCode } from './qr-code.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'

interface NewFactor {
  readonly id: string
  readonly name: string
  readonly secret: string
  readonly uri: string
}

interface Props {
  readonly onClose: () => void
}

/** Adds a factor in three steps: its name, a code of it, and the recovery codes of the first one. */
export function AddFactorDialog({ onClose }: Props) {
  const queryClient = useQueryClient()
  const { user } = useSession()
  const [factor, setFactor] = useState<NewFactor>()
  const [codes, setCodes] = useState<readonly string[]>([])
  function close(): void {
    void queryClient.invalidateQueries({ queryKey: factorsQuery(user.id).queryKey })
    onClose()
  }
  if (codes.length > 0) return <RecoveryCodesDialog codes={codes} onClose={close} />
  if (!factor) return <NameStep onMade={setFactor} onClose={close} />
  return (
    <CodeStep
      factor={factor}
      onConfirmed={(made) => (made.length > 0 ? setCodes(made) : close())}
      onClose={close}
    />
  )
}

function NameStep({ onMade, onClose }: Props & { readonly onMade: (factor: NewFactor) => void }) {
  const { factors: t } = useAllMessages()
  const { user } = useSession()
  const [name, setName] = useState('')
  const add = useMutation({
    mutationFn: () =>
      api.createFactor({
        parameters: { id: user.id },
        body: { factor: name === '' ? {} : { name } },
      }),
    onSuccess: ({ factor }) => onMade(factor),
  })
  const problem = problemsOf(add.error, 'factor')['name']
  return (
    <FormDialog
      title={t.add}
      submit={t.continue}
      onSubmit={() => add.mutate()}
      onClose={onClose}
      busy={add.isPending}
      error={add.error}
      isShownByFields={isShownByFields(add.error, 'factor', ['name'])}
    >
      <TextField
        label={t.name}
        hint={t.nameHint}
        maxLength={128}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={problem === undefined ? undefined : t.problem(t.name, problem)}
      />
    </FormDialog>
  )
}

interface CodeStepProps extends Props {
  readonly factor: NewFactor
  readonly onConfirmed: (codes: readonly string[]) => void
}

function CodeStep({ factor, onConfirmed, onClose }: CodeStepProps) {
  const { factors: t } = useAllMessages()
  const { user } = useSession()
  const [passcode, setPasscode] = useState('')
  const confirm = useMutation({
    mutationFn: () =>
      wrongOr(() =>
        api.confirmFactor({
          parameters: { id: user.id, factor_id: factor.id },
          body: { factor: { passcode } },
        }),
      ),
    onSuccess(answer) {
      if (answer === 'wrong') return setPasscode('')
      showToast(t.confirmed(factor.name))
      return onConfirmed(answer.recovery_codes)
    },
  })
  const isWrong = confirm.data === 'wrong'
  return (
    <FormDialog
      title={t.scanTitle}
      submit={t.confirm}
      onSubmit={() => confirm.mutate()}
      onClose={onClose}
      busy={confirm.isPending}
      error={confirm.error}
      isShownByFields={isWrong}
    >
      <p>{t.scanText}</p>
      <QrCode text={factor.uri} label={t.qrCode} />
      <PropertyList>
        <Property label={t.secret}>
          <Copyable value={factor.secret} />
        </Property>
      </PropertyList>
      <PasscodeField
        appOnly
        value={passcode}
        onChange={setPasscode}
        error={isWrong && passcode === '' ? t.wrongCode : undefined}
      />
    </FormDialog>
  )
}
