import type { AllMessages } from '../../messages/en/later.ts'
import type { Driver } from './option-values.ts'

/** The API describes drivers in English. Other languages bring their own texts. */
export function localizeDriver(driver: Driver, known: AllMessages['providers']['drivers']): Driver {
  const texts = known[driver.driver]
  if (!texts) return driver
  return {
    ...driver,
    title: texts.title,
    description: texts.description,
    options: driver.options.map((field) => ({
      ...field,
      description: texts.fields[field.name] ?? field.description,
    })),
  }
}
