type Fields = Record<string, unknown>

export const blank = "can't be blank"

let count = 0
/** Fields of a new user, with an address of their own. */
export const person = (fields: Fields = {}): Fields => ({
  name: 'Grace',
  type: 'account_user',
  email: `grace-${count++}@example.com`,
  ...fields,
})

export const robot = { name: 'Robot', type: 'service_account' }
