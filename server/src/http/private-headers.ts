/** Of answers, errors too, that are right for one caller only, and never used again without asking. */
export const privateHeaders = {
  'cache-control': 'private, no-cache',
  vary: 'X-Auth-Token, Accept, Accept-Encoding',
}
