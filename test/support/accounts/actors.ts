type Fields = Record<string, unknown>

export const blank = "can't be blank"

let count = 0
export const person = (fields: Fields = {}): Fields => ({
  name: 'Grace',
  type: 'account_user',
  email: `grace-${count++}@example.com`,
  ...fields,
})

export const robot = { name: 'Robot', type: 'service_account' }

export const robotRow = (i: number) => ({
  name: `Robot ${i}`,
  email: null,
  type: 'service_account' as const,
  allow_email_otp_sign_in: false,
  portal_scopes: null,
  created_by_directory_id: null,
  is_disabled: false,
})
