// What the agent of the reconnect tests says.
export const eventCount = 10_000;
export const blockSize = 500; // it asks after so many whether it may go on
export const line = (i) => `${String(i).padStart(5, '0')}\n`;
