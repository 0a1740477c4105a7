import type { ActionTicket, TicketStore } from '../../domain/tasks/action-tickets.ts'
import type { DatabaseReader, DatabaseWriter, Statement } from '../database.ts'
import type { Tables } from '../tables.ts'

const toRow = ({ params, servers, ...ticket }: ActionTicket): Tables['action_tickets'] => ({
  ...ticket,
  params: JSON.stringify(params),
  servers: JSON.stringify(servers),
})

const toTicket = ({ params, servers, ...row }: Tables['action_tickets']): ActionTicket => ({
  ...row,
  action: row.action as ActionTicket['action'],
  answer: row.answer as ActionTicket['answer'],
  params: JSON.parse(params) as ActionTicket['params'],
  servers: JSON.parse(servers) as ActionTicket['servers'],
})

/** Stores tickets of previewed actions. */
export function createTicketStore(database: DatabaseReader & DatabaseWriter): TicketStore {
  const { db } = database

  const open = (now: number) =>
    db.updateTable('action_tickets').where('used_at', 'is', null).where('expires_at', '>', now)

  async function findBy(column: 'id' | 'question', value: string) {
    const row = await db
      .selectFrom('action_tickets')
      .selectAll()
      .where(column, '=', value)
      .executeTakeFirst()
    return row && toTicket(row)
  }

  async function changesOne(statement: Statement): Promise<boolean> {
    const [result] = await database.commit([statement])
    return result?.changes === 1
  }

  return {
    async insert(ticket) {
      await database.commit([db.insertInto('action_tickets').values(toRow(ticket)).compile()])
    },

    async countOpen(userId, now) {
      const { count } = await db
        .selectFrom('action_tickets')
        .select((row) => row.fn.countAll().as('count'))
        .where('user_id', '=', userId)
        .where('used_at', 'is', null)
        .where('answer', '<>', 'declined')
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    find: (id) => findBy('id', id),
    findByQuestion: (question) => findBy('question', question),

    setQuestion: (id, question, now) =>
      changesOne(
        open(now).set({ question }).where('id', '=', id).where('answer', '=', '').compile(),
      ),

    setAnswer: (question, userId, answer, now) =>
      changesOne(
        open(now)
          .set({ answer })
          .where('question', '=', question)
          .where('question', '<>', '')
          .where('user_id', '=', userId)
          .where('answer', '=', '')
          .compile(),
      ),

    use: (id, now) =>
      changesOne(
        open(now)
          .set({ used_at: now })
          .where('id', '=', id)
          .where('answer', '=', 'accepted')
          .compile(),
      ),

    async purge(before) {
      await database.commit([
        db.deleteFrom('action_tickets').where('expires_at', '<', before).compile(),
      ])
    },
  }
}
