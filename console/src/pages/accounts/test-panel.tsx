import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import type { Settings } from './account-values.ts'
import { FormSection } from './form-section.tsx'
import { TestResult } from './test-result.tsx'
import type { useAccountTest } from './use-account-test.ts'

interface Props {
  readonly test: ReturnType<typeof useAccountTest>
  readonly settings: Settings
  readonly disabledReason: string | undefined
  readonly onTest: () => void
}

/** Tries what is typed before it is saved. */
export function TestPanel({ test, settings, disabledReason, onTest }: Props) {
  const t = useMessages()
  const { data, error, isPending } = test
  return (
    <FormSection title={t.accounts.testSection} lead={t.accounts.testLead}>
      <div>
        <Button busy={isPending} disabledReason={disabledReason} onClick={onTest}>
          {t.accounts.test}
        </Button>
      </div>
      {isPending && <p role="status">{t.accounts.testing}</p>}
      {error && !isPending && <ErrorNotice error={error} />}
      {data && !isPending && <TestResult test={data.test} isOutdated={data.of !== settings} />}
    </FormSection>
  )
}
