/** Somebody of the company whose provider the demo is: the claims of OpenID Connect Core 5.1. */
export type Person = {
  sub: string
  email: string
  email_verified: boolean
  name: string
  given_name: string
  family_name: string
}

const person = (sub: string, given_name: string, family_name: string, local: string): Person => ({
  sub,
  email: `${local}@example.com`,
  email_verified: true,
  name: `${given_name} ${family_name}`,
  given_name,
  family_name,
})

/** The administrator that the demo account begins with, and somebody who only uses what they may. */
export const demoPeople = {
  admin: person('demo-1', 'Ada', 'Admin', 'admin'),
  user: person('demo-2', 'Uma', 'User', 'uma'),
}
