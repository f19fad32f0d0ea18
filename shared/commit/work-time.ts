/** For how many milliseconds parts are begun. Tests shorten it. */
export const workTime = {
  /** Below the 29 s of a request's function, with the time that the last try may take: nothing is tried again after it. */
  retries: (): number => 22_000,
  /** Below the 29 s of a request's function, with the time that the last part may take. */
  request: (): number => 20_000,
  /** Below the 60 s of a consumer, with the time for the rest of its batch. */
  delivery: (): number => 15_000,
  /** Below the five minutes of the provisioning function. */
  provisioning: (): number => 270_000,
}
