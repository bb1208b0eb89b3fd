/**
 * Whether to run the long versions of tests, which repeat a proof or give it more time: `npm test -- --long`. The
 * short versions prove the same.
 */
export const isLong = process.env.LEAD_TESTS === 'long'
