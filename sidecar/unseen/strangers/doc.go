// Package strangers holds four agents without a profile: full programs for a
// terminal, each drawn in a way of its own, that answer messages and ask before they
// remove something. It is for tests only: a test binary whose name is one of Names
// plays that agent, see Main.
//
//   - umbra draws below what it has said, without leaving the main screen: a bordered
//     box with the input, which it erases and draws anew at each change, and above it a
//     spinner while it works. It asks with a numbered list in the box.
//   - tarn takes the alternate screen and draws it in synchronized updates: a row with a
//     marker and a placeholder, and below it a row of status that changes while it
//     works. It asks with a list whose marker moves.
//   - quill draws below what it has said, hides the cursor, and takes its input on a
//     coloured bar that has no marker. It asks with buttons on one row.
//   - ember is tarn with a picture and a clock at the bottom that move all the time.
//
// All say the same, see reply. They work for as long as Work.
package strangers
