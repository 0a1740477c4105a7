import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { factorsQuery } from '../../api/queries/factors.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { useSession } from '../../session/use-session.ts'
import { Button } from '../../ui/button.tsx'
import notice from '../../ui/notice.module.css'
import { Section } from '../../ui/section.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'

/** With so few codes left, the page asks to replace them. */
const few = 3

interface Props {
  readonly left: number
  readonly hasFactor: boolean
}

export function RecoveryCodesSection({ left, hasFactor }: Props) {
  const { factors: t } = useAllMessages()
  const { number } = useFormat()
  const queryClient = useQueryClient()
  const { user } = useSession()
  const [isOpen, open] = useState(false)
  const replace = useMutation({
    mutationFn: () => api.replaceRecoveryCodes({ parameters: { id: user.id } }),
    onSuccess: () => open(false),
  })
  return (
    <Section
      title={t.recoveryCodes}
      lead={t.recoveryText}
      actions={
        <Button
          small
          disabledReason={hasFactor ? undefined : t.noCodes}
          onClick={() => {
            replace.reset()
            open(true)
          }}
        >
          {t.replaceCodes}
        </Button>
      }
    >
      <p>{hasFactor ? t.codesLeft(number(left)) : t.noCodes}</p>
      {hasFactor && left <= few && (
        <p className={`${notice.notice} ${notice.warn}`} role="status">
          {t.fewCodes}
        </p>
      )}
      {isOpen && (
        <FormDialog
          title={t.replaceCodes}
          submit={t.replaceCodes}
          onSubmit={() => replace.mutate()}
          onClose={() => open(false)}
          busy={replace.isPending}
          error={replace.error}
        >
          <p>{t.replaceText}</p>
        </FormDialog>
      )}
      {replace.isSuccess && (
        <RecoveryCodesDialog
          codes={replace.data.recovery_codes}
          onClose={() => {
            replace.reset()
            void queryClient.invalidateQueries({ queryKey: factorsQuery(user.id).queryKey })
          }}
        />
      )}
    </Section>
  )
}
