/** Long enough for any CAS server, and with nothing in it that means something in a query. */
const serviceTicket = /^ST-[A-Za-z0-9._-]{1,252}$/

/** Whether a text looks like a service ticket; what does not is never sent anywhere. */
export const isServiceTicket = (text: string): boolean => serviceTicket.test(text)
