/** Whether tests that repeat a proof, or give it more time, do so: `LEAD_TESTS=long npm test`. Each proves its point without. */
export const isLong = process.env.LEAD_TESTS === 'long'
